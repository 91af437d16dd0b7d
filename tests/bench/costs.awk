# SPDX-License-Identifier: GPL-2.0
# What the guest has measured, for table.awk: the run, and what is there already.
BEGIN {
	FS = OFS = "\t"
}
{
	print out, $0
}
