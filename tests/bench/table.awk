# SPDX-License-Identifier: GPL-2.0
# A table, and JSON, of lines "run<tab>GPU<tab>row<tab>case<tab>number[<tab>reports]". Behind
# each number is what it is more than the row's first one on that GPU; behind the case, the
# reports of the hardware that it is for.
BEGIN {
	FS = "\t"
	printf "[" >json
}
function number(value)
{
	return value ~ /^[0-9]+$/
}
function cell(run, gpu, row, what,	value, first)
{
	if (!((run, gpu, row, what) in cost))
		return ""
	value = cost[run, gpu, row, what]
	if (!number(value))
		return "n/a"
	first = cost[run, gpu, row, base[run, gpu, row]]
	if (base[run, gpu, row] == what || !number(first) || row ~ /flush|refresh|open|close|read/)
		return value
	return sprintf("%d %+7d", value, value - first)
}
{
	run = $1; gpu = $2; row = $3; what = $4
	if (!(row in seen_row)) {
		seen_row[row] = 1
		rows[nr_rows++] = row
	}
	if (!((row, what) in seen)) {
		seen[row, what] = 1
		cases[row, nr_cases[row]++] = what
	}
	if (!((run, gpu, row) in base))
		base[run, gpu, row] = what
	cost[run, gpu, row, what] = $5
	if (run == "old")
		compared = 1
	if ($6 && !((row, what) in reports))
		reports[row, what] = $6
	if (!number($5))
		why = why sprintf("%s, %s, %s: %s\n", gpu, row, what, $5)
	gsub(/["\\]/, " ", $5)
	printf "%s\n {\"run\": \"%s\", \"gpu\": \"%s\", \"row\": \"%s\", \"case\": \"%s\", \"peer\": %s, ",
	       comma, run, gpu, row, what, what ~ /^ / ? "true" : "false" >json
	if ($6 != "")
		printf "\"reports\": %d, ", $6 >json
	printf "\"instructions\": %s}", number($5) ? $5 : "null" >json
	comma = ","
}
END {
	printf "\n]\n" >json
	for (i = 0; i < nr_rows; i++) {
		row = rows[i]
		printf "\n%-59s %15s %15s%s\n", row, "refgpu", "virtio-gpu",
		       compared ? "      old: refgpu        virtio-gpu" : ""
		for (k = 0; k < nr_cases[row]; k++) {
			what = cases[row, k]
			name = what
			if ((row, what) in reports)
				name = name ": " reports[row, what]
			printf "  %-57s %15s %15s", name, cell("new", "refgpu", row, what),
			       cell("new", "virtio", row, what)
			if (compared)
				printf " %17s %17s", cell("old", "refgpu", row, what),
				       cell("old", "virtio", row, what)
			printf "\n"
		}
	}
	printf "\n%s", why
}
