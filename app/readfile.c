/* SPDX-License-Identifier: GPL-2.0-only */
/* readfile.c - a whole file in memory. See readfile.h. */
#include "app/readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/text.h"
#include "app/xalloc.h"

bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/* Read @fd to its end or one byte past @max. Returns the length or -1 with errno. */
static ssize_t read_all(int fd, size_t max, char **buf)
{
	size_t room = 65536, len = 0;

	*buf = xcalloc(room, 1);
	for (;;) {
		if (len + 1 >= room) {
			room *= 2;
			*buf = xrealloc_array(*buf, room, 1);
		}

		size_t want = room - len - 1;

		if (want > max + 1 - len)
			want = max + 1 - len;

		ssize_t n = want ? read(fd, *buf + len, want) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	(*buf)[len] = '\0';
	return (ssize_t)len;
}

int read_file(const char *path, size_t max, char **buf, size_t *len, struct err *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	char shown[256];
	struct stat st;
	ssize_t n;

	*buf = NULL;
	*len = 0;
	text_clean(shown, sizeof(shown), standard ? "standard input" : path);
	if (fd < 0)
		return err_set(err, ERR_USAGE, "cannot open %s: %s%s", shown, strerror(errno),
			       errno == ENOENT ? "; check the name and the folder" : "");
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		if (!standard)
			close(fd);
		return err_set(err, ERR_USAGE, "%s is a directory; name a file in it", shown);
	}
	n = read_all(fd, max, buf);

	int saved = errno;

	if (!standard)
		close(fd);
	if (n >= 0 && (size_t)n <= max) {
		*len = (size_t)n;
		return 0;
	}
	free(*buf);
	*buf = NULL;
	if (n < 0)
		return err_set(err, ERR_USAGE, "cannot read %s: %s", shown, strerror(saved));
	return err_set(err, ERR_LIMIT,
		       "%s has more than %zu bytes, the most a file of its kind may have", shown,
		       max);
}
