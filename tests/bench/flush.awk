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
# A case is named by the period, which is the same in every run; how many reports it made
# of that is the last field.
{
	reports = $3 ? "a report each " $3 " us" : "no reports"
}
$3 && $1 == 1 && $2 == 1 && !($3 in had) {
	had[$3] = 1
	row = "a flush, by reports of the hardware"
	print out, "refgpu", row, reports, $6, $4
	print out, "refgpu", row, "  memcpy of those each " $3 " us", $7, $4
	next
}
{
	print out, "refgpu", "a flush, by contexts and events",
	      $1 " contexts, " $2 " events, " reports, $6, $4
}
