# SPDX-License-Identifier: GPL-2.0
# gpu: a perf PMU for GPUs. "make help" says what there is.

# any installed kernel headers; of the running kernel by default
KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
DESTDIR	?=
# n: without the simulated GPU
REFGPU	?= m

# Each kernel has a folder of its own, with links to the sources in it: so that
# one checkout can be built for several kernels.
OUT	:= build/$(KVER)
MODULES	:= gpu_pmu gpu_pmu_virtio refgpu/refgpu
MADE	:= $(if $(filter m,$(REFGPU)),$(MODULES),$(filter-out refgpu/%,$(MODULES)))
BUILT	:= $(OUT)/.built$(if $(filter m,$(REFGPU)),,-without-refgpu)
SOURCES	:= $(shell find drivers include -type f)
CONFIG	:= CONFIG_GPU_PMU=m CONFIG_GPU_PMU_VIRTIO=m CONFIG_REFGPU=$(REFGPU)
KBUILD	:= $(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT)/drivers/perf/gpu \
	   GPU_PMU_INCLUDE=$(CURDIR)/$(OUT)/include $(CONFIG)

all: modules tools

help:
	@echo 'make                 the modules for the running kernel, and the tools'
	@echo 'make modules KVER=X  the modules for another kernel whose headers are installed'
	@echo 'make tools           build/tools/perf-gpu'
	@echo 'make REFGPU=n ...    without the simulated GPU'
	@echo 'make install         modules, tools and header to the running system'
	@echo 'make uninstall       the mirror of that'
	@echo 'make dkms            have DKMS build and install the modules'
	@echo 'make demo            boot a virtual machine with a GPU, profile GL clients in it'
	@echo 'make test            all tests; installs what they need'
	@echo 'make test-debug      those that take a debug kernel: KASAN, lockdep, KCSAN; hours'
	@echo 'make bench           what it costs, in instructions: tables, and JSON in build/bench'
	@echo 'make bench BASE=REV  the same, beside what another revision costs'
	@echo 'make bench-plots     Documentation/pictures/costs-*.svg, of the last make bench'
	@echo 'make check           checkpatch, kernel-doc, sparse and W=1 on the kernel code; old kernels'
	@echo 'make clean           remove build/'

modules: $(BUILT)

$(OUT)/.links: $(SOURCES)
	@mkdir -p $(OUT)
	@cp -rsf $(CURDIR)/drivers $(CURDIR)/include $(OUT)/
	@find -L $(OUT)/drivers $(OUT)/include -type l -delete
	@touch $@

$(BUILT): $(OUT)/.links
	$(KBUILD) $(KFLAGS) modules
	@cp $(MADE:%=$(OUT)/drivers/perf/gpu/%.ko) $(OUT)/
	@touch $@

tools:
	$(MAKE) -C tools/perf/gpu BUILD=$(CURDIR)/build/tools

clients:
	$(MAKE) -C tests/clients

# What the virtual machine needs: it finds the headers of its kernels by itself.
vm-ready:
	@scripts/setup build vm
	@$(MAKE) -s tools clients

demo: vm-ready
	@tests/vm/run --outputs 2 -- demo/guest

test:
	@scripts/setup
	@$(MAKE) -s tools clients
	@$(MAKE) -s -C tests/selftests
	@tests/run

test-debug:
	@scripts/setup
	@$(MAKE) -s tools clients
	@$(MAKE) -s -C tests/selftests
	@tests/run debug- kcsan-

bench: vm-ready
	@scripts/setup
	@tests/bench/run
	@tests/bench/report 100000 400000 10000000

bench-plots:
	@tests/bench/plot

check:
	@tests/check

# Modules go to the running kernel (or KVER), and depmod is told; "modprobe gpu_pmu"
# is then all that is to be typed.
install: modules tools
	$(KBUILD) modules_install INSTALL_MOD_DIR=extra $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR))
	$(if $(DESTDIR),,depmod $(KVER))
	install -D -m 755 build/tools/perf-gpu $(DESTDIR)$(PREFIX)/bin/perf-gpu
	install -D -m 755 build/tools/perf-gpu-dlfilter.so $(DESTDIR)$(PREFIX)/lib/perf-gpu/perf-gpu-dlfilter.so
	install -D -m 644 include/uapi/linux/gpu_pmu.h $(DESTDIR)$(PREFIX)/include/linux/gpu_pmu.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 Documentation/man/*.1
	install -D -m 644 tools/perf/gpu/completion/perf-gpu $(COMPLETIONS)/perf-gpu
	$(if $(COMPLETION_OF_PERF),ln -sf perf-gpu $(COMPLETIONS)/perf)

# perf's own completion does not know of "perf gpu": ours stands before it, and asks it
# for the rest; but not where it is itself.
COMPLETIONS := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
COMPLETION_OF_PERF := $(filter-out /usr,$(PREFIX))

# DKMS builds from a copy of its own, for each kernel that is installed.
VERSION	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DKMS	:= /usr/src/gpu-pmu-$(VERSION)

dkms:
	mkdir -p $(DKMS)
	cp -r Makefile dkms.conf drivers include $(DKMS)/
	dkms install --force gpu-pmu/$(VERSION) -k $(KVER)

uninstall:
	rm -f $(MODULES:%=$(DESTDIR)/lib/modules/$(KVER)/extra/%.ko*)
	rm -rf $(DESTDIR)$(PREFIX)/lib/perf-gpu
	rm -f $(DESTDIR)$(PREFIX)/bin/perf-gpu $(DESTDIR)$(PREFIX)/include/linux/gpu_pmu.h
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/perf-gpu*.1 $(COMPLETIONS)/perf-gpu
	$(if $(COMPLETION_OF_PERF),rm -f $(COMPLETIONS)/perf)
	$(if $(DESTDIR),,depmod $(KVER))

clean:
	rm -rf build

.PHONY: all help modules tools clients vm-ready demo test test-debug bench bench-plots check install dkms uninstall clean
