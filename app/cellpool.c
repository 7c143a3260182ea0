/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cellpool.c - many independent computations in child processes. See cellpool.h.
 *
 * A child writes its exit code and message in a first line, then its text, and leaves with status 0 once
 * all of it is written; anything else is a child that failed. It ignores SIGINT, which a terminal sends to
 * all: the parent decides. It holds no terminal: what it says on stderr is kept for the report.
 */
#include "app/cellpool.h"

#include "app/app.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define LOOK_MS 100
#define STDERR_KEPT 4096u
#define JOBS_MAX 1024u

struct job {
	pid_t pid; /* 0 = free */
	u32 cell;
	int out, err; /* read ends, -1 = closed */
	u64 begin;
	bool late; /* ended for its timeout */
	struct strbuf text, said;
};

struct run {
	struct cellpool *p;
	struct job *jobs;
	u32 running, started, finished, handed;
	struct cell_result *results;
	bool *have;
	bool stop;
};

u32 cellpool_cores(void)
{
	long n;
#ifdef __linux__
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 0)
		return (u32)CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (u32)n : 1;
}

/* ---- in the child ---- */

static bool write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

static void child(struct cellpool *p, u32 cell, int out, int err_fd, pid_t parent)
{
	struct strbuf text = { 0 }, head = { 0 };
	struct err err = { 0 };
	char clean[sizeof(err.msg)];
	int null = open("/dev/null", O_RDWR), code;
	bool ok;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it ended before that */
		_exit(1);
#else
	(void)parent;
#endif
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	dup2(err_fd, STDERR_FILENO);
	code = p->run(p->ctx, cell, &text, &err);
	text_clean(clean, sizeof(clean), err.msg);
	strbuf_printf(&head, "%d %s\n", code, clean);
	ok = write_all(out, strbuf_str(&head), head.len) &&
	     write_all(out, strbuf_str(&text), text.len);
	fflush(stderr);
	_exit(ok ? 0 : 1);
}

/* ---- in the parent ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(struct run *r, struct err *err)
{
	int out[2], said[2];
	struct job *j = r->jobs;
	pid_t pid, parent = getpid();

	while (j->pid)
		j++;
	if (pipe(out))
		return err_set(err, ERR_LIMIT, "no pipe for a child: %s", strerror(errno));
	if (pipe(said)) {
		close(out[0]);
		close(out[1]);
		return err_set(err, ERR_LIMIT, "no pipe for a child: %s", strerror(errno));
	}
	fflush(NULL); /* or the child writes it once more */
	pid = fork();
	if (!pid) {
		close(out[0]);
		close(said[0]);
		child(r->p, r->started, out[1], said[1], parent);
	}
	close(out[1]);
	close(said[1]);
	if (pid < 0) {
		close(out[0]);
		close(said[0]);
		return err_set(err, ERR_LIMIT, "no child process: %s; try fewer --jobs",
			       strerror(errno));
	}
	*j = (struct job){
		.pid = pid, .cell = r->started++, .out = out[0], .err = said[0], .begin = wall_ns()
	};
	r->running++;
	return 0;
}

/* What is there to read; false at the end. */
static bool take(int fd, struct strbuf *b, size_t max)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (b->len < max)
		strbuf_add(b, buf, (size_t)n < max - b->len ? (size_t)n : max - b->len);
	return n > 0;
}

/* The last line a child said that is not empty, as a part of a message; "" = none. */
static void last_words(struct strbuf *said, char *buf, size_t size)
{
	char *text = strbuf_take(said), *save, *last = NULL, clean[400];

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		last = l;
	buf[0] = '\0';
	if (last) {
		text_clean(clean, sizeof(clean), last);
		snprintf(buf, size, ": %s", clean);
	}
	free(text);
}

static void judge(struct run *r, struct job *j, int status)
{
	struct cell_result *res = &r->results[j->cell];
	char *text = strbuf_take(&j->text), *end, *nl = strchr(text, '\n');
	char words[420];

	last_words(&j->said, words, sizeof(words));
	if (WIFEXITED(status) && !WEXITSTATUS(status) && nl && !j->late) {
		*nl = '\0';
		res->code = (int)strtol(text, &end, 10);
		if (*end == ' ' && end[1])
			res->msg = xstrdup(end + 1);
		if (nl[1])
			res->text = xstrdup(nl + 1);
		free(text);
		return;
	}
	free(text);
	res->code = EXIT_LIMIT;
	if (j->late) {
		res->msg = xasprintf("took longer than %s allows and was ended",
				     r->p->timeout_name ? r->p->timeout_name : "its time");
	} else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		res->msg = xasprintf("was killed from outside, as happens when memory runs out");
	} else if (WIFSIGNALED(status)) {
		res->code = EXIT_DIVERGED;
		res->msg = xasprintf("crashed: %s%s", strsignal(WTERMSIG(status)), words);
	} else {
		res->msg = xasprintf("ended early with status %d%s",
				     WIFEXITED(status) ? WEXITSTATUS(status) : -1, words);
	}
}

static void reap(struct run *r, struct job *j)
{
	int status = 0;

	close_fd(&j->out);
	close_fd(&j->err);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	judge(r, j, status);
	strbuf_fini(&j->text);
	strbuf_fini(&j->said);
	r->have[j->cell] = true;
	j->pid = 0;
	r->running--;
	r->finished++;
	while (!r->stop && r->handed < r->p->nr && r->have[r->handed]) {
		u32 i = r->handed++;

		r->stop = !r->p->done(r->p->ctx, i, &r->results[i]);
		r->results[i] = (struct cell_result){ 0 };
	}
}

static void look(struct run *r, struct pollfd *fds)
{
	u32 nr = 0, jobs = r->p->jobs;
	u64 now;

	for (u32 i = 0; i < jobs; i++) {
		struct job *j = &r->jobs[i];

		fds[2 * i] = (struct pollfd){ .fd = j->pid ? j->out : -1, .events = POLLIN };
		fds[2 * i + 1] = (struct pollfd){ .fd = j->pid ? j->err : -1, .events = POLLIN };
		nr = 2 * i + 2;
	}
	if (poll(fds, nr, LOOK_MS) < 0)
		return; /* interrupted: the caller looks why */
	now = wall_ns();
	for (u32 i = 0; i < jobs; i++) {
		struct job *j = &r->jobs[i];

		if (!j->pid)
			continue;
		if (fds[2 * i + 1].revents && !take(j->err, &j->said, STDERR_KEPT))
			close_fd(&j->err);
		if (fds[2 * i].revents && !take(j->out, &j->text, SIZE_MAX)) {
			/* It writes its stderr before it ends. */
			while (j->err >= 0 && take(j->err, &j->said, STDERR_KEPT))
				;
			reap(r, j);
			continue;
		}
		if (r->p->timeout_ns && now - j->begin > r->p->timeout_ns && !j->late) {
			j->late = true;
			kill(j->pid, SIGKILL);
		}
	}
}

static void end_all(struct run *r)
{
	for (u32 i = 0; i < r->p->jobs; i++) {
		struct job *j = &r->jobs[i];

		if (!j->pid)
			continue;
		kill(j->pid, SIGKILL);
		while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
			;
		close_fd(&j->out);
		close_fd(&j->err);
		strbuf_fini(&j->text);
		strbuf_fini(&j->said);
	}
}

int cellpool_run(struct cellpool *p, struct err *err)
{
	struct run r = { .p = p };
	struct pollfd *fds;
	int ret = 0;

	if (p->jobs > JOBS_MAX)
		p->jobs = JOBS_MAX;
	if (p->jobs > p->nr)
		p->jobs = p->nr;
	if (!p->jobs)
		p->jobs = 1;
	r.jobs = xcalloc(p->jobs, sizeof(*r.jobs));
	fds = xcalloc(2 * (size_t)p->jobs, sizeof(*fds));
	r.results = xcalloc(p->nr + 1u, sizeof(*r.results));
	r.have = xcalloc(p->nr + 1u, sizeof(*r.have));
	while (!r.stop && (r.started < p->nr || r.running)) {
		if (p->interrupted && *p->interrupted) {
			r.stop = true;
			break;
		}
		if (r.started < p->nr && r.running < p->jobs) {
			if (start(&r, err)) {
				/* With some at work there will be room for another. */
				if (!r.running) {
					ret = -1;
					break;
				}
			} else {
				continue;
			}
		}
		look(&r, fds);
		if (p->progress)
			p->progress(p->ctx, r.finished);
	}
	end_all(&r);
	for (u32 i = 0; i < p->nr; i++) {
		free(r.results[i].text);
		free(r.results[i].msg);
	}
	free(r.results);
	free(r.have);
	free(r.jobs);
	free(fds);
	if (!ret && err)
		err->code = ERR_NONE;
	return ret ? ret : r.stop;
}
