// Other processes: their memory, descriptors and state, and signals to them.
#include "attempt.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EACH(pid) for (int i = 0; i < target->pid_count; i += 1) for (pid_t pid = target->pids[i]; pid != 0; pid = 0)

static const char *in_proc(pid_t pid, const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return path;
}

/** Whether a file of another process's folder gives a byte. */
static int reads(const struct target *target, const char *name, int flags) {
  EACH(pid) {
    char bytes[64];
    int fd = open(in_proc(pid, name), flags);
    if (fd < 0) continue;
    ssize_t count = flags == O_RDONLY ? read(fd, bytes, sizeof bytes) : 1;
    close(fd);
    if (count > 0) return hit("%s of %d", name, pid);
  }
  return 0;
}

static int links(const struct target *target, const char *name) {
  EACH(pid) {
    char path[256];
    if (readlink(in_proc(pid, name), path, sizeof path) > 0) return hit("%s of %d", name, pid);
  }
  return 0;
}

static int mem_open(const struct target *target) {
  EACH(pid) {
    int fd = open(in_proc(pid, "mem"), O_RDONLY);
    if (fd >= 0) return hit("memory of %d", pid);
  }
  return 0;
}
static int mem_write(const struct target *target) { return reads(target, "mem", O_RDWR); }
static int environ_read(const struct target *target) { return reads(target, "environ", O_RDONLY); }
static int maps_read(const struct target *target) { return reads(target, "maps", O_RDONLY); }
static int smaps_read(const struct target *target) { return reads(target, "smaps", O_RDONLY); }
static int pagemap_read(const struct target *target) { return reads(target, "pagemap", O_RDONLY); }
static int auxv_read(const struct target *target) { return reads(target, "auxv", O_RDONLY); }
static int stack_read(const struct target *target) { return reads(target, "stack", O_RDONLY); }
static int syscall_read(const struct target *target) { return reads(target, "syscall", O_RDONLY); }
static int io_read(const struct target *target) { return reads(target, "io", O_RDONLY); }
static int score_write(const struct target *target) { return reads(target, "oom_score_adj", O_WRONLY); }
static int root_link(const struct target *target) { return links(target, "root"); }
static int cwd_link(const struct target *target) { return links(target, "cwd"); }
static int exe_link(const struct target *target) { return links(target, "exe"); }
static int fd_link(const struct target *target) { return links(target, "fd/3"); }
static int ns_link(const struct target *target) { return links(target, "ns/mnt"); }
static int through_root(const struct target *target) { return reads(target, "root/etc/shadow", O_RDONLY); }
static int through_cwd(const struct target *target) { return reads(target, "cwd/etc/shadow", O_RDONLY); }
static int descriptor(const struct target *target) { return reads(target, "fd/3", O_RDWR); }

static int descriptors(const struct target *target) {
  EACH(pid) {
    DIR *folder = opendir(in_proc(pid, "fd"));
    if (folder != NULL) return hit("descriptors of %d", pid);
  }
  return 0;
}

static int map_files(const struct target *target) {
  EACH(pid) {
    DIR *folder = opendir(in_proc(pid, "map_files"));
    if (folder != NULL && readdir(folder) != NULL) return hit("mapped files of %d", pid);
  }
  return 0;
}

static int traces(const struct target *target, enum __ptrace_request request) {
  EACH(pid) {
    if (ptrace(request, pid, NULL, NULL) == 0) {
      ptrace(PTRACE_DETACH, pid, NULL, NULL);
      return hit("%d is traced", pid);
    }
  }
  return 0;
}
static int trace_attach(const struct target *target) { return traces(target, PTRACE_ATTACH); }
static int trace_seize(const struct target *target) { return traces(target, PTRACE_SEIZE); }

static int copies(const struct target *target, long call) {
  char bytes[16];
  struct iovec here = {bytes, sizeof bytes};
  struct iovec there = {(void *)0x400000, sizeof bytes};
  EACH(pid) {
    // EFAULT would say that only the address is wrong.
    if (syscall(call, pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT) return hit("%d", pid);
  }
  return 0;
}
static int vm_read(const struct target *target) { return copies(target, SYS_process_vm_readv); }
static int vm_write(const struct target *target) { return copies(target, SYS_process_vm_writev); }

static int signals(const struct target *target) {
  EACH(pid) if (kill(pid, 0) == 0) return hit("%d can be signalled", pid);
  return 0;
}
static int groups(const struct target *target) {
  EACH(pid) if (pid > 1 && kill(-pid, 0) == 0) return hit("group %d can be signalled", pid);
  return 0;
}
static int thread_signals(const struct target *target) {
  EACH(pid) if (syscall(SYS_tgkill, pid, pid, 0) == 0) return hit("threads of %d", pid);
  return 0;
}
static int queued_signals(const struct target *target) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  EACH(pid) if (syscall(SYS_rt_sigqueueinfo, pid, 0, &info) == 0) return hit("%d", pid);
  return 0;
}
static int pidfd_signals(const struct target *target) {
  EACH(pid) {
    int fd = syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0) return hit("%d", pid);
    if (fd >= 0) close(fd);
  }
  return 0;
}
static int pidfd_descriptors(const struct target *target) {
  EACH(pid) {
    int fd = syscall(SYS_pidfd_open, pid, 0);
    for (int wanted = 0; fd >= 0 && wanted < 30; wanted += 1)
      if (syscall(SYS_pidfd_getfd, fd, wanted, 0) >= 0) return hit("%d of %d", wanted, pid);
    if (fd >= 0) close(fd);
  }
  return 0;
}
static int pidfd_namespaces(const struct target *target) {
  EACH(pid) {
    int fd = syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0 && syscall(SYS_setns, fd, 0x00020000) == 0) return hit("mounts of %d", pid);
    if (fd >= 0) close(fd);
  }
  return 0;
}
static int advises(const struct target *target) {
  struct iovec there = {(void *)0x400000, 4096};
  EACH(pid) {
    int fd = syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0 && (syscall(440, fd, &there, 1, 20, 0) >= 0 || errno == ENOMEM)) return hit("%d", pid);
    if (fd >= 0) close(fd);
  }
  return 0;
}
static int compares(const struct target *target) {
  EACH(pid) if (syscall(SYS_kcmp, getpid(), pid, KCMP_VM, 0, 0) >= 0) return hit("%d", pid);
  return 0;
}
static int limits(const struct target *target) {
  struct rlimit limit;
  EACH(pid) if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0) return hit("limits of %d", pid);
  return 0;
}
static int priority(const struct target *target) {
  EACH(pid) if (setpriority(PRIO_PROCESS, pid, 19) == 0) return hit("priority of %d", pid);
  return 0;
}
static int pages(const struct target *target) {
  EACH(pid) if (syscall(SYS_move_pages, pid, 0UL, NULL, NULL, NULL, 0) == 0) return hit("pages of %d", pid);
  return 0;
}
static int robust_list(const struct target *target) {
  void *head;
  size_t size;
  EACH(pid) if (syscall(SYS_get_robust_list, pid, &head, &size) == 0) return hit("addresses of %d", pid);
  return 0;
}
static int performance(const struct target *target) {
  struct perf_event_attr counted = {.type = PERF_TYPE_SOFTWARE, .size = sizeof counted,
                                    .config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = 1};
  EACH(pid) if (syscall(SYS_perf_event_open, &counted, pid, -1, -1, 0) >= 0) return hit("faults of %d", pid);
  return 0;
}

const struct attempt process_attempts[] = {
    {"memory of another process", 'p', mem_open},
    {"writing another's memory", 'p', mem_write},
    {"environment of another process", 'p', environ_read},
    {"maps of another process", 'p', maps_read},
    {"memory use of another process, by mapping", 'p', smaps_read},
    {"page map of another process", 'p', pagemap_read},
    {"auxiliary vector of another process", 'p', auxv_read},
    {"kernel stack of another process", 'p', stack_read},
    {"current call of another process", 'p', syscall_read},
    {"counters of another process", 'p', io_read},
    {"another's place in the queue for the memory killer", 'p', score_write},
    {"root of another process", 'p', root_link},
    {"folder of another process", 'p', cwd_link},
    {"program of another process", 'p', exe_link},
    {"link of another's descriptor", 'p', fd_link},
    {"namespace of another process", 'p', ns_link},
    {"a file through another's root", 'p', through_root},
    {"a file through another's folder", 'p', through_cwd},
    {"another's channel, opened again", 'p', descriptor},
    {"list of another's descriptors", 'p', descriptors},
    {"files that another has mapped", 'p', map_files},
    {"attaching as a debugger", 'p', trace_attach},
    {"seizing as a debugger", 'p', trace_seize},
    {"process_vm_readv", 'p', vm_read},
    {"process_vm_writev", 'p', vm_write},
    {"a signal", 'p', signals},
    {"a signal to a group", 'p', groups},
    {"a signal to a thread", 'p', thread_signals},
    {"a queued signal", 'p', queued_signals},
    {"a signal by pidfd", 'p', pidfd_signals},
    {"descriptors by pidfd", 'p', pidfd_descriptors},
    {"namespaces by pidfd", 'p', pidfd_namespaces},
    {"advice about another's memory", 'p', advises},
    {"kcmp", 'p', compares},
    {"limits of another process", 'p', limits},
    {"priority of another process", 'p', priority},
    {"pages of another process", 'p', pages},
    {"robust list of another process", 'p', robust_list},
    {"performance counters of another process", 'p', performance},
    {NULL, 0, NULL},
};
