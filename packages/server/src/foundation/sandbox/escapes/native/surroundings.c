// What is around a process: files, sockets, shared objects, devices, and descriptors it was given.
#include "attempt.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define QUEUE "/jackfield-escape"
#define SHARED_FILE "/dev/shm/jackfield-escape"
/** Standard ones, and the channel. */
#define GIVEN_DESCRIPTORS 4

static int opens(const char *path) {
  int fd = open(path, O_RDONLY | O_NONBLOCK);
  return fd >= 0 ? hit("%s", path) : 0;
}
static int lists(const char *path) {
  DIR *folder = opendir(path);
  return folder != NULL ? hit("%s", path) : 0;
}
static int makes(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/hit", folder);
  return open(path, O_CREAT | O_WRONLY, 0666) >= 0 ? hit("%s", path) : 0;
}
static int any(int (*act)(const char *), const char *const *paths) {
  for (; *paths != NULL; paths += 1)
    if (act(*paths)) return 1;
  return 0;
}
#define ANY(act, ...) any(act, (const char *const[]){__VA_ARGS__, NULL})

static int secret_file(const struct target *target) { return opens(target->file); }
static int data_folder(const struct target *target) { return lists(target->data_dir); }
static int key_file(const struct target *target) {
  char path[512];
  snprintf(path, sizeof path, "%s/encryption.key", target->data_dir);
  return opens(path);
}
static int accounts(const struct target *target) {
  (void)target;
  return ANY(opens, "/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/machine-id");
}
static int homes(const struct target *target) {
  (void)target;
  return ANY(lists, "/root", "/home", "/var", "/srv", "/opt", "/mnt", "/boot", "/usr", "/etc/ssl");
}
static int open_folders(const struct target *target) {
  return ANY(makes, target->open_dir, "/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/run");
}
static int own_root(const struct target *target) {
  (void)target;
  return ANY(makes, "", "/bin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/lib/x86_64-linux-gnu");
}
static int runtime_folders(const struct target *target) {
  (void)target;
  return ANY(lists, "/run", "/var/run", "/var/run/postgresql", "/run/systemd", "/run/user", "/tmp");
}
static int system_files(const struct target *target) {
  (void)target;
  return ANY(lists, "/sys", "/sys/fs/cgroup", "/sys/kernel/debug", "/dev", "/dev/mqueue", "/dev/disk");
}
static int proc(const struct target *target) {
  (void)target;
  return ANY(opens, "/proc/self/mem", "/proc/kcore", "/proc/kallsyms", "/proc/cpuinfo", "/proc/1/status",
             "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/self/maps");
}
static int devices(const struct target *target) {
  (void)target;
  return ANY(opens, "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/fuse",
             "/dev/kvm", "/dev/net/tun", "/dev/tty", "/dev/console", "/dev/ptmx");
}
static int device_of_own(const struct target *target) {
  char path[512];
  snprintf(path, sizeof path, "%s/hit", target->open_dir);
  const char *paths[] = {"/hit", "/tmp/hit", "/bin/hit", path};
  for (int n = 0; n < 4; n += 1)
    if (mknod(paths[n], S_IFCHR | 0666, 1 << 8 | 1) == 0) return hit("%s", paths[n]);
  return 0;
}
static int own_program(const struct target *target) {
  (void)target;
  const char *paths[] = {"/proc/self/exe", "/bin/program", "/proc/self/fd/4"};
  for (int n = 0; n < 3; n += 1) {
    if (open(paths[n], O_RDWR) >= 0 || truncate(paths[n], 0) == 0) return hit("%s", paths[n]);
    if (chmod(paths[n], 0777) == 0 || chown(paths[n], getuid(), getgid()) == 0) return hit("%s", paths[n]);
    if (rename(paths[n], "/bin/other") == 0 || unlink(paths[n]) == 0) return hit("%s", paths[n]);
  }
  return 0;
}
static int libraries(const struct target *target) {
  (void)target;
  const char *paths[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/etc/ld.so.cache",
                         "/lib/x86_64-linux-gnu/libc.so.6", "/bin/setpriv", "/bin/prlimit"};
  for (int n = 0; n < 6; n += 1)
    if (open(paths[n], O_RDWR) >= 0 || unlink(paths[n]) == 0) return hit("%s", paths[n]);
  return 0;
}
static int descriptors(const struct target *target) {
  (void)target;
  for (int fd = GIVEN_DESCRIPTORS; fd < 1024; fd += 1) {
    struct stat status;
    // What another program left open is replaced by /dev/null, which is device 1:3.
    if (fstat(fd, &status) == 0 && status.st_rdev != (1 << 8 | 3)) return hit("descriptor %d", fd);
  }
  return 0;
}
static int out_of_descriptors(const struct target *target) {
  (void)target;
  for (int fd = 0; fd < 1024; fd += 1) {
    if (openat(fd, "..", O_RDONLY | O_DIRECTORY) >= 0) return hit("a folder by descriptor %d", fd);
    if (fd >= GIVEN_DESCRIPTORS && fchdir(fd) == 0) return hit("into descriptor %d", fd);
  }
  return 0;
}
static int out_of_channel(const struct target *target) {
  (void)target;
  char path[64];
  for (int fd = 0; fd < 8; fd += 1) {
    snprintf(path, sizeof path, "/proc/self/fd/%d/../../../etc/shadow", fd);
    if (open(path, O_RDONLY) >= 0) return hit("%s", path);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (open(path, O_RDWR) >= 0) return hit("%s", path);
  }
  return 0;
}
static int unix_socket(const struct target *target) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, target->socket, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(fd, (void *)&address, sizeof address) == 0 ? hit("%s", target->socket) : 0;
}
static int abstract_socket(const struct target *target) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + 1, target->abstract, sizeof address.sun_path - 2);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(target->abstract);
  return connect(fd, (void *)&address, size) == 0 ? hit("%s", target->abstract) : 0;
}
static int network(const struct target *target) {
  const char *hosts[] = {"127.0.0.1", "0.0.0.0", "169.254.169.254", "1.1.1.1"};
  for (int n = 0; n < 4; n += 1) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(target->port)};
    inet_pton(AF_INET, hosts[n], &address.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (connect(fd, (void *)&address, sizeof address) == 0 || errno == EINPROGRESS) return hit("%s", hosts[n]);
    int datagram = socket(AF_INET, SOCK_DGRAM, 0);
    // Whether it arrives is for the host to say.
    sendto(datagram, "x", 1, 0, (void *)&address, sizeof address);
  }
  return 0;
}
static int raw_sockets(const struct target *target) {
  (void)target;
  int families[][3] = {{AF_PACKET, SOCK_RAW, 3}, {AF_INET, SOCK_RAW, 1}, {AF_INET6, SOCK_RAW, 58}};
  for (int n = 0; n < 3; n += 1)
    if (socket(families[n][0], families[n][1], families[n][2]) >= 0) return hit("family %d", families[n][0]);
  return 0;
}
static int interfaces(const struct target *target) {
  (void)target;
  struct ifaddrs *list = NULL;
  if (getifaddrs(&list) != 0) return 0;
  for (; list != NULL; list = list->ifa_next)
    if (strcmp(list->ifa_name, "lo") != 0) return hit("%s", list->ifa_name);
  return 0;
}

int plant(int key) {
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 16};
  shmget(key, 4096, IPC_CREAT | 0666);
  msgget(key, IPC_CREAT | 0666);
  semget(key, 1, IPC_CREAT | 0666);
  mq_open(QUEUE, O_CREAT | O_RDWR, 0666, &size);
  return open(SHARED_FILE, O_CREAT | O_RDWR, 0666) >= 0 ? 0 : 1;
}
int unplant(int key) {
  shmctl(shmget(key, 0, 0), IPC_RMID, NULL);
  msgctl(msgget(key, 0), IPC_RMID, NULL);
  semctl(semget(key, 0, 0), 0, IPC_RMID);
  mq_unlink(QUEUE);
  return unlink(SHARED_FILE);
}
static int shared_memory(const struct target *target) {
  return shmget(target->ipc_key, 0, 0) >= 0 ? hit("key %d", target->ipc_key) : 0;
}
static int message_queue(const struct target *target) {
  return msgget(target->ipc_key, 0) >= 0 ? hit("key %d", target->ipc_key) : 0;
}
static int semaphore(const struct target *target) {
  return semget(target->ipc_key, 0, 0) >= 0 ? hit("key %d", target->ipc_key) : 0;
}
static int posix_queue(const struct target *target) {
  (void)target;
  return mq_open(QUEUE, O_RDONLY) >= 0 ? hit(QUEUE) : 0;
}
static int posix_memory(const struct target *target) {
  (void)target;
  if (open(SHARED_FILE, O_RDWR) >= 0) return hit(SHARED_FILE);
  return shm_open("/other", O_CREAT | O_RDWR, 0666) >= 0 ? hit("shm_open") : 0;
}

const struct attempt root_attempts[] = {
    {"a file with a secret", 'r', secret_file},
    {"the server's data folder", 'r', data_folder},
    {"the key file", 'r', key_file},
    {"files of /etc", 'r', accounts},
    {"homes and programs", 'r', homes},
    {"folders that anybody may write", 'r', open_folders},
    {"writing to its own root", 'r', own_root},
    {"folders of sockets", 'r', runtime_folders},
    {"/sys and /dev", 'r', system_files},
    {"/proc", 'r', proc},
    {"devices", 'r', devices},
    {"a device of its own", 'r', device_of_own},
    {"overwriting its own program", 'r', own_program},
    {"overwriting libraries and tools", 'r', libraries},
    {"descriptors left open", 'r', descriptors},
    {"an escape by descriptors", 'r', out_of_descriptors},
    {"an escape by links of descriptors", 'r', out_of_channel},
    {"a Unix socket", 'r', unix_socket},
    {"an abstract socket", 'r', abstract_socket},
    {"the network", 'r', network},
    {"raw sockets", 'r', raw_sockets},
    {"network interfaces", 'r', interfaces},
    {"System V shared memory", 'r', shared_memory},
    {"a System V message queue", 'r', message_queue},
    {"a System V semaphore", 'r', semaphore},
    {"a POSIX message queue", 'r', posix_queue},
    {"POSIX shared memory", 'r', posix_memory},
    {NULL, 0, NULL},
};
