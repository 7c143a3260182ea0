/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim-random-test.c - random machines, workloads, profiles, policies and live changes, with every
 * invariant checked after each event; then the same run again from copies and in slices.
 *
 * SG_RANDOM_CASES=N runs N cases (default 400), SG_RANDOM_SECONDS=N as many as N seconds allow, both
 * from seed SG_RANDOM_FIRST on (1). SG_RANDOM_SEED=K runs case K alone, tells about it and writes it
 * as a scenario, up to SG_RANDOM_END ns.
 *
 * What is done is recorded (random-case.h). A case that fails is made smaller and written as
 * sim-random-SEED.lua into the present folder, for `schedground run FILE --check`.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim-world.h"

#include "tests/prop/random-case.h"

/* ---- cases apart from the test, so that a crash is a result ---- */

static struct told *shared_told(void)
{
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(told, MAP_FAILED);
	return told;
}

static u64 seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec;
}

/* Cases from @first on until one fails, @n are done or @seconds (0 = any) are over. */
static void run_cases(struct told *told, u64 first, u64 n, u64 seconds)
{
	u64 begin = seconds_now();
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (u64 i = 0; i < n && !told->failed; i++) {
			struct random_case c;

			if (seconds && seconds_now() - begin >= seconds)
				break;
			told->seed = first + i;
			case_record(told->seed, &c, told);
			case_fini(&c);
			told->cases++;
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		snprintf(told->what, sizeof(told->what), "crash (status %d)", status);
		told->failed = true;
	}
}

/* Where case_record() goes on when the engine gives up: what was recorded until then is the case. */
static sigjmp_buf gave_up;

static void on_crash(int sig)
{
	siglongjmp(gave_up, sig);
}

static void record_crash(u64 seed, struct random_case *c, struct told *told)
{
	const struct sigaction act = { .sa_handler = on_crash };
	struct sigaction old[2];

	sigaction(SIGABRT, &act, &old[0]);
	sigaction(SIGSEGV, &act, &old[1]);
	if (!sigsetjmp(gave_up, 1))
		case_record(seed, c, told);
	sigaction(SIGABRT, &old[0], NULL);
	sigaction(SIGSEGV, &old[1], NULL);
}

static void report(struct told *told)
{
	static struct random_case c; /* outlives a jump */
	struct outcome out;
	struct told again = { 0 };
	char path[64];
	u32 runs;

	record_crash(told->seed, &c, &again);
	case_play_apart(&c, NULL, &out);
	if (!out.failed)
		fail_msg("seed %llu: %s", (unsigned long long)told->seed, told->what);
	runs = case_shrink(&c, NULL, &out);
	snprintf(path, sizeof(path), "sim-random-%llu.lua", (unsigned long long)told->seed);
	if (case_write_file(&c, out.what, path))
		print_message("# %s is not whole\n", path);
	fail_msg("seed %llu: %s\nafter %u runs: %u tasks, %u changes, machine %s, %llu ns: %s\n"
		 "schedground run %s --check",
		 (unsigned long long)told->seed, told->what, runs, c.nr_tasks, c.nr_changes,
		 c.machine, (unsigned long long)out.at, out.what, path);
}

static u64 number(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void random_cases(void **state)
{
	u64 seconds = number("SG_RANDOM_SECONDS", 0), seed = number("SG_RANDOM_SEED", 0);
	u64 n = number("SG_RANDOM_CASES", seconds ? ~0ull : 400);
	struct told *told = shared_told();

	(void)state;
	if (seed) {
		struct random_case c;
		struct outcome out;
		char path[64];

		case_record(seed, &c, told);
		c.end = number("SG_RANDOM_END", c.end);
		if (getenv("SG_RANDOM_PLAIN"))
			case_make_plain(&c);
		case_play(&c, NULL, &out);
		snprintf(path, sizeof(path), "sim-random-%llu.lua", (unsigned long long)seed);
		case_write_file(&c, told->failed ? told->what : "nothing failed", path);
		print_message("# seed %llu: machine %s, %s, %u tasks, %u changes, %llu ns: %s\n"
			      "# digest %016llx, %s\n",
			      (unsigned long long)seed, c.machine, kernel_profiles[c.profile].name,
			      c.nr_tasks, c.nr_changes, (unsigned long long)c.end,
			      told->failed ? told->what : "ok", (unsigned long long)out.digest,
			      path);
		told->seed = seed;
		case_fini(&c);
	} else {
		run_cases(told, number("SG_RANDOM_FIRST", 1), n, seconds);
		print_message("# %llu cases, the last one seed %llu\n",
			      (unsigned long long)told->cases, (unsigned long long)told->seed);
	}
	if (told->failed)
		report(told);
	munmap(told, sizeof(*told));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_cases),
	};

	return cmocka_run_group_tests_name("random machines, workloads and changes", tests, NULL,
					   NULL);
}
