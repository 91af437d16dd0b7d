# SPDX-License-Identifier: GPL-2.0
# What tests/bench/refresh prints, for table.awk.
BEGIN {
	FS = OFS = "\t"
}
{
	indent = $2 ~ /^ / ? "  " : ""
	sub(/^ */, "", $2)
	print out, "refgpu", "a refresh of all clients", indent $1 " clients, " $2, $3
}
