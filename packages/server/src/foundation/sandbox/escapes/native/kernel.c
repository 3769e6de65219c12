// The kernel itself: rights, roots, namespaces, limits, and calls that nothing here needs.
#include "attempt.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MANY 300
#define MEBIBYTE (1024UL * 1024)
#define UNUSED(target) (void)(target)

static int users(const struct target *target) {
  UNUSED(target);
  gid_t group = 0;
  // In a namespace of its own, 0 may be the number that it has; it must not gain others.
  if (getuid() != 0 && (setuid(0) == 0 || setresuid(0, 0, 0) == 0)) return hit("uid 0");
  if (setuid(12345) == 0 && getuid() != 12345) return hit("uid");
  if (getgid() != 0 && (setgid(0) == 0 || setresgid(0, 0, 0) == 0)) return hit("gid 0");
  return setgroups(1, &group) == 0 ? hit("groups") : 0;
}
static int capabilities(const struct target *target) {
  UNUSED(target);
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  syscall(SYS_capget, &head, data);
  if ((data[0].permitted | data[1].permitted | data[0].inheritable) != 0) return hit("has some");
  for (int right = 0; right < 41; right += 1)
    if (prctl(PR_CAPBSET_READ, right) == 1) return hit("may gain %d", right);
  data[0].permitted = data[0].effective = 1 << CAP_SYS_ADMIN % 32;
  return syscall(SYS_capset, &head, data) == 0 ? hit("gained") : 0;
}
static int new_rights(const struct target *target) {
  UNUSED(target);
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : hit("programs may gain rights");
}
static int cores(const struct target *target) {
  UNUSED(target);
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_CORE, &limit) == 0) return hit("core files");
  getrlimit(RLIMIT_CORE, &limit);
  return limit.rlim_max > 0 ? hit("core files of %lu bytes", (unsigned long)limit.rlim_max) : 0;
}
static int limits(const struct target *target) {
  UNUSED(target);
  int kinds[] = {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_DATA, RLIMIT_FSIZE};
  for (int n = 0; n < 4; n += 1) {
    struct rlimit limit;
    getrlimit(kinds[n], &limit);
    if (limit.rlim_max == RLIM_INFINITY) return hit("no limit %d", kinds[n]);
    limit.rlim_max += 1;
    if (setrlimit(kinds[n], &limit) == 0) return hit("limit %d", kinds[n]);
  }
  return 0;
}
static int memory(const struct target *target) {
  UNUSED(target);
  void *parts[64];
  int taken = 0;
  for (; taken < 64; taken += 1) {
    parts[taken] = mmap(NULL, 64 * MEBIBYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (parts[taken] == MAP_FAILED) break;
  }
  for (int n = 0; n < taken; n += 1) munmap(parts[n], 64 * MEBIBYTE);
  return taken == 64 ? hit("4 GiB") : 0;
}
static int descriptors(const struct target *target) {
  UNUSED(target);
  int taken = 0;
  while (taken < 2000 && dup(2) >= 0) taken += 1;
  for (int fd = 4; fd < 2100; fd += 1) close(fd);
  return taken == 2000 ? hit("2000 descriptors") : 0;
}
static int mounts(const struct target *target) {
  UNUSED(target);
  if (mount("none", "/", "tmpfs", 0, NULL) == 0) return hit("tmpfs");
  if (mount("proc", "/bin", "proc", 0, NULL) == 0) return hit("proc");
  if (mount("/", "/bin", NULL, MS_BIND, NULL) == 0) return hit("bind");
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0) return hit("writable root");
  if (mount(NULL, "/bin/program", NULL, MS_REMOUNT | MS_BIND, NULL) == 0) return hit("writable program");
  if (umount2("/bin/program", MNT_DETACH) == 0 || umount2("/", MNT_DETACH) == 0) return hit("unmounted");
  return syscall(428, AT_FDCWD, "/", 1) >= 0 ? hit("open_tree") : 0;
}
static int filesystems(const struct target *target) {
  UNUSED(target);
  if (syscall(430, "tmpfs", 0) >= 0) return hit("fsopen");
  return syscall(433, AT_FDCWD, "/", 0) >= 0 ? hit("fspick") : 0;
}
static int handles(const struct target *target) {
  UNUSED(target);
  struct { struct file_handle head; unsigned int inode[2]; } handle = {{8, 1}, {2, 0}};
  int folder = open("/", O_RDONLY);
  int fd = syscall(SYS_open_by_handle_at, folder, &handle, O_RDONLY);
  close(folder);
  return fd >= 0 ? hit("the disk's first folder") : 0;
}
static int roots(const struct target *target) {
  UNUSED(target);
  if (chroot("/bin") == 0) return hit("chroot");
  return syscall(SYS_pivot_root, "/", "/bin") == 0 ? hit("pivot_root") : 0;
}
static int user_namespace(const struct target *target) {
  UNUSED(target);
  return unshare(CLONE_NEWUSER) == 0 ? hit("unshare") : 0;
}
static int namespaces(const struct target *target) {
  UNUSED(target);
  int kinds[] = {CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWPID, 0x02000000};
  for (int n = 0; n < 6; n += 1)
    if (unshare(kinds[n]) == 0) return hit("%x", kinds[n]);
  return 0;
}
static int cloned_namespace(const struct target *target) {
  UNUSED(target);
  pid_t child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) _exit(0);
  if (child > 0) return hit("clone");
  struct { unsigned long flags, rest[10]; } given = {CLONE_NEWUSER, {0, 0, 0, SIGCHLD}};
  child = syscall(435, &given, sizeof given);
  if (child == 0) _exit(0);
  return child > 0 ? hit("clone3") : 0;
}
static int joined_namespace(const struct target *target) {
  char path[64];
  for (int n = 0; n < target->pid_count; n += 1) {
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", target->pids[n]);
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && setns(fd, 0) == 0) return hit("%s", path);
    if (fd >= 0) close(fd);
  }
  return 0;
}
static int names_and_times(const struct target *target) {
  UNUSED(target);
  struct timespec now = {1, 0};
  if (sethostname("hit", 3) == 0 || setdomainname("hit", 3) == 0) return hit("name");
  return clock_settime(CLOCK_REALTIME, &now) == 0 ? hit("time") : 0;
}
static int machine(const struct target *target) {
  UNUSED(target);
  // With a magic number that is wrong, so that even root would only get an error.
  if (syscall(SYS_reboot, 0, 0, 0, NULL) == 0) return hit("reboot");
  if (syscall(SYS_init_module, "", 0, "") == 0 || errno == ENOEXEC) return hit("modules");
  if (syscall(SYS_kexec_load, 0, 0, NULL, 0) == 0) return hit("kexec");
  return syscall(SYS_acct, NULL) == 0 ? hit("accounting") : 0;
}
static int terminal(const struct target *target) {
  UNUSED(target);
  for (int fd = 0; fd < 4; fd += 1)
    if (ioctl(fd, 0x5412, "x") == 0) return hit("descriptor %d", fd);
  return 0;
}
static int processes(const struct target *target) {
  UNUSED(target);
  static pid_t children[MANY];
  int made = 0;
  for (; made < MANY; made += 1) {
    children[made] = fork();
    if (children[made] == 0) for (;;) pause();
    if (children[made] < 0) break;
  }
  for (int n = 0; n < made; n += 1) kill(children[n], SIGKILL);
  for (int n = 0; n < made; n += 1) waitpid(children[n], NULL, 0);
  return made == MANY ? hit("%d processes", made) : 0;
}
static void *sleep_on(void *nothing) {
  for (;;) pause();
  return nothing;
}
static int threads(const struct target *target) {
  UNUSED(target);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  int made = 0;
  for (pthread_t thread; made < MANY && pthread_create(&thread, &small, sleep_on, NULL) == 0;) made += 1;
  return made == MANY ? hit("%d threads", made) : 0;
}

// Closed by the filter alone; without it each of these is a part of the kernel that native code may ask.
static int one_process(const struct target *target) {
  UNUSED(target);
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child > 0 ? hit("fork") : 0;
}
static int keyrings(const struct target *target) {
  UNUSED(target);
  char list[64];
  if (syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, list, sizeof list) >= 0) return hit("session");
  return syscall(SYS_add_key, "user", "hit", "x", 1, KEY_SPEC_USER_KEYRING) >= 0 ? hit("user") : 0;
}
static int kernel_log(const struct target *target) {
  UNUSED(target);
  char line[64];
  return klogctl(3, line, sizeof line) > 0 ? hit("%.40s", line) : 0;
}
static int calls(const struct target *target) {
  UNUSED(target);
  char parameters[256] = {0};
  int types[] = {1, 4};
  if (syscall(SYS_userfaultfd, 1) >= 0) return hit("userfaultfd");
  if (syscall(425, 1, parameters) >= 0) return hit("io_uring");
  if (syscall(SYS_bpf, 0, types, sizeof types) >= 0 || errno == EINVAL) return hit("bpf");
  if (syscall(SYS_memfd_create, "x", 0) >= 0) return hit("memfd_create");
  if (personality(ADDR_NO_RANDOMIZE) >= 0) return hit("personality");
  return syscall(SYS_vmsplice, -1, NULL, 0, 0) >= 0 || errno == EBADF ? hit("vmsplice") : 0;
}
static int unknown_call(const struct target *target) {
  UNUSED(target);
  for (long number = 451; number < 1024; number += 1)
    if (syscall(number, -1, -1, -1, -1, -1, -1) >= 0 || errno != ENOSYS) return hit("call %ld", number);
  return 0;
}
static int sockets(const struct target *target) {
  UNUSED(target);
  for (int family = 1; family < 46; family += 1)
    if (syscall(SYS_socket, family, 1, 0) >= 0 || errno != EPERM) return hit("family %d", family);
  return 0;
}

const struct attempt kernel_attempts[] = {
    {"another user", 'r', users},
    {"capabilities", 'r', capabilities},
    {"programs that give rights", 'r', new_rights},
    {"core files", 'r', cores},
    {"higher limits", 'r', limits},
    {"descriptors without end", 'r', descriptors},
    {"memory without end", 'r', memory},
    {"mounts", 'r', mounts},
    {"file systems", 'r', filesystems},
    {"files by handle", 'r', handles},
    {"another root", 'r', roots},
    {"a user namespace", 'r', user_namespace},
    {"other namespaces", 'r', namespaces},
    {"a user namespace by clone", 'r', cloned_namespace},
    {"another's namespace", 'r', joined_namespace},
    {"the machine's name and time", 'r', names_and_times},
    {"the machine", 'r', machine},
    {"input for a terminal", 'r', terminal},
    {"processes without end", 'r', processes},
    {"one process", 's', one_process},
    {"keyrings", 's', keyrings},
    {"the kernel's log", 's', kernel_log},
    {"calls with a history", 's', calls},
    {"calls that are newer than the filter", 's', unknown_call},
    {"sockets of any family", 's', sockets},
    {"threads without end", 'r', threads},
    {NULL, 0, NULL},
};
