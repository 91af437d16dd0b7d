# SPDX-License-Identifier: GPL-2.0
# gpu: a perf PMU for GPUs. "make help" says what there is.

# any installed kernel headers; of the running kernel by default
KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
DESTDIR	?=

# Each kernel has a folder of its own, with links to the sources in it: so that
# one checkout can be built for several kernels.
OUT	:= build/$(KVER)
MODULES	:= gpu_pmu gpu_pmu_virtio
SOURCES	:= $(shell find drivers include -type f)
CONFIG	:= CONFIG_GPU_PMU=m CONFIG_GPU_PMU_VIRTIO=m
KBUILD	:= $(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT)/drivers/perf/gpu \
	   GPU_PMU_INCLUDE=$(CURDIR)/$(OUT)/include $(CONFIG)

all: modules tools

help:
	@echo 'make                 the modules for the running kernel, and the tools'
	@echo 'make modules KVER=X  the modules for another kernel whose headers are installed'
	@echo 'make tools           build/perf-gpu'
	@echo 'make install         modules, tools and header to the running system'
	@echo 'make demo            boot a virtual machine with a GPU, profile GL clients in it'
	@echo 'make test            all tests; installs what they need'
	@echo 'make check           checkpatch, sparse and W=1 on the kernel code'
	@echo 'make clean           remove build/'

modules: $(OUT)/.built

$(OUT)/.links: $(SOURCES)
	@mkdir -p $(OUT)
	@cp -rsf $(CURDIR)/drivers $(CURDIR)/include $(OUT)/
	@find -L $(OUT)/drivers $(OUT)/include -type l -delete
	@touch $@

$(OUT)/.built: $(OUT)/.links
	$(KBUILD) $(KFLAGS) modules
	@cp $(MODULES:%=$(OUT)/drivers/perf/gpu/%.ko) $(OUT)/
	@touch $@

clean:
	rm -rf build

.PHONY: all help modules clean
