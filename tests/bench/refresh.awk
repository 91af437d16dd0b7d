# SPDX-License-Identifier: GPL-2.0
# What tests/bench/refresh prints, for table.awk.
BEGIN {
	OFS = "\t"
}
{
	print out, "refgpu", "a refresh of all clients", $1 " clients, /dev/gpu_pmu", $2
	print out, "refgpu", "a refresh of all clients", "  " $1 " clients, fdinfo", $3
}
