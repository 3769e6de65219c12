// Stands in for the setpriv of util-linux 2.41 where a system has an older one: the options that the walls use, and
// the filter of system calls.
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void require(int result, const char *what) {
	if (result >= 0) return;
	perror(what);
	exit(127);
}

static void drop_inheritable(void) {
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	require(syscall(SYS_capget, &head, data), "capget");
	data[0].inheritable = data[1].inheritable = 0;
	require(syscall(SYS_capset, &head, data), "capset");
}

static void filter_calls(const char *path) {
	static struct sock_filter code[4096];
	int file = open(path, O_RDONLY);
	require(file, path);
	ssize_t size = read(file, code, sizeof(code));
	require(size, path);
	close(file);
	struct sock_fprog program = {size / sizeof(code[0]), code};
	require(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), "seccomp");
}

int main(int count, char **words) {
	const char *filter = NULL;
	long uid = -1, gid = -1;
	int clears_groups = 0, drops_bounds = 0, drops_inheritable = 0, no_new_privs = 0, dies = 0;
	int at = 1;
	for (; at < count && words[at][0] == '-'; at++) {
		const char *word = words[at];
		if (!strncmp(word, "--reuid=", 8)) uid = atol(word + 8);
		else if (!strncmp(word, "--regid=", 8)) gid = atol(word + 8);
		else if (!strcmp(word, "--clear-groups")) clears_groups = 1;
		else if (!strcmp(word, "--inh-caps=-all")) drops_inheritable = 1;
		else if (!strcmp(word, "--bounding-set=-all")) drops_bounds = 1;
		else if (!strcmp(word, "--no-new-privs")) no_new_privs = 1;
		else if (!strcmp(word, "--pdeathsig=KILL")) dies = 1;
		else if (!strncmp(word, "--seccomp-filter=", 17)) filter = word + 17;
		else if (!strcmp(word, "--help")) return puts("--seccomp-filter <file>") < 0;
		else if (!strcmp(word, "--version")) return puts("stand-in") < 0;
		else return fprintf(stderr, "unknown option %s\n", word), 1;
	}
	if (at >= count) return fprintf(stderr, "no program\n"), 1;
	if (no_new_privs) require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
	if (drops_bounds)
		for (int right = 0; prctl(PR_CAPBSET_READ, right, 0, 0, 0) >= 0; right++)
			require(prctl(PR_CAPBSET_DROP, right, 0, 0, 0), "bounding set");
	if (clears_groups) require(setgroups(0, NULL), "groups");
	if (gid >= 0) require(setresgid(gid, gid, gid), "gid");
	if (uid >= 0) require(setresuid(uid, uid, uid), "uid");
	if (drops_inheritable) drop_inheritable();
	if (dies) require(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "death signal");
	// After all that it might forbid.
	if (filter) filter_calls(filter);
	execv(words[at], words + at);
	perror(words[at]);
	return 127;
}
