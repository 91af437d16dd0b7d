# SPDX-License-Identifier: GPL-2.0
# What tests/bench/flush prints, for table.awk.
BEGIN {
	OFS = "\t"
}
$5 != "-" {
	row = $5 ~ /b/ ? "a flush, by records of a burst" : "a flush, by records"
	sub(/b/, "", $5)
	print out, "refgpu", row, $5 " records", $6
	print out, "refgpu", row, "  memcpy of " $5 " records", $7
	next
}
$3 && $1 == 1 && $2 == 1 && !($3 in had) {
	had[$3] = 1
	row = "a flush, by reports of the hardware"
	print out, "refgpu", row, $4 " reports", $6
	print out, "refgpu", row, "  memcpy of " $4 " reports", $7
	next
}
{
	reports = $3 ? "a report each " $3 " us" : "no reports"
	print out, "refgpu", "a flush, by contexts and events",
	      $1 " contexts, " $2 " events, " reports, $6
}
