// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "record/record.h"
#include "test.h"

#define ROOT	{ .privileged = true, .cpus = 2, .mlock_kb = 516, .memlock = 8 << 20 }

static char text[1024];

static const char *command(const struct record_options *options, const struct record_here *here)
{
	char **args = record__command(options, here);

	text[0] = '\0';
	for (char **arg = args; arg && *arg; arg++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 arg == args ? "" : " ", *arg);
	record__free(args);
	return text;
}

static void a_command_is_recorded(void)
{
	char *argv[] = { "./a program", "-x", NULL };
	struct record_options options = {
		.perf = "perf", .call_graph = "dwarf", .command = argv,
	};
	struct record_here root = ROOT, user = ROOT;

	CHECK_STR("perf record -e gpu/jobs,period=1/ -e gpu/jobs-done,period=1,call-graph=no/ "
		  "-e gpu/wait-time,period=1/ --raw-samples --sample-cpu --timestamp --period "
		  "--call-graph dwarf --user-callchains -m 4096K -o perf.data -- ./a program -x",
		  command(&options, &root));
	user.privileged = false;
	user.memlock = 0;
	CHECK_STR("perf record -e gpu/jobs,period=1/u -e gpu/jobs-done,period=1,call-graph=no/u "
		  "-e gpu/wait-time,period=1/u --raw-samples --sample-cpu --timestamp --period "
		  "--call-graph dwarf --user-callchains -o perf.data -- ./a program -x",
		  command(&options, &user));
}

static void others_are_recorded(void)
{
	char *extra[] = { "-k", "mono", NULL }, *argv[] = { "sleep", "1", NULL };
	struct record_options options = { .perf = "/x/perf", .pids = "1,2", .output = "o" };
	struct record_here root = ROOT;

	CHECK_STR("/x/perf record -e gpu/jobs,period=1/ -e gpu/jobs-done,period=1/ "
		  "-e gpu/wait-time,period=1/ --raw-samples --sample-cpu --timestamp --period "
		  "-m 4096K -o o -p 1,2", command(&options, &root));
	options.pids = NULL;
	options.all = true;
	options.extra = extra;
	options.command = argv;
	CHECK_STR("/x/perf record -e gpu/jobs,period=1/ -e gpu/jobs-done,period=1/ "
		  "-e gpu/wait-time,period=1/ --raw-samples --sample-cpu --timestamp --period "
		  "-m 4096K -o o -a -k mono -- sleep 1", command(&options, &root));
}

static void ways_to_take_stacks(void)
{
	static const char *const right[] = { "fp", "dwarf", "dwarf,8", "dwarf,8192", "dwarf,65528" };
	static const char *const wrong[] = {
		"", "lbr", "fp,1", "dwarf,", "dwarf,0", "dwarf,7", "dwarf,-8", "dwarf,65536",
		"dwarf,8x", "dwarfs", "dwarf,99999999999999999999",
	};

	for (unsigned int i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		CHECK(record__is_call_graph(right[i]));
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!record__is_call_graph(wrong[i]));
}

static void the_buffer_is_what_one_may_have(void)
{
	struct record_here here = ROOT;

	CHECK_EQ(4096, record__buffer_kb(&here));
	/* a large machine */
	here.cpus = 128;
	CHECK_EQ(2048, record__buffer_kb(&here));
	here.cpus = 1024;
	CHECK_EQ(0, record__buffer_kb(&here));
	/* a user: 516 KiB for each CPU, and all that may be locked over all of them */
	here.privileged = false;
	here.cpus = 2;
	here.memlock = 0;
	CHECK_EQ(0, record__buffer_kb(&here));
	here.memlock = 2 << 20;
	CHECK_EQ(1024, record__buffer_kb(&here));
	here.memlock = 8 << 20;
	CHECK_EQ(4096, record__buffer_kb(&here));
	here.memlock = UINT64_MAX;
	CHECK_EQ(4096, record__buffer_kb(&here));
	here.mlock_kb = 0;
	here.memlock = 0;
	CHECK_EQ(0, record__buffer_kb(&here));
	here.cpus = 0;
	CHECK_EQ(0, record__buffer_kb(&here));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_command_is_recorded),
		TEST(others_are_recorded),
		TEST(ways_to_take_stacks),
		TEST(the_buffer_is_what_one_may_have),
	};

	return TESTS_RUN(tests);
}
