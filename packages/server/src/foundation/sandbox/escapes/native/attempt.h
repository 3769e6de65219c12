// What an attempt knows and how it tells: 0 for nothing reached, 1 for a hit, with words about it.
#ifndef ATTEMPT_H
#define ATTEMPT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <sys/types.h>

struct target {
  // Processes outside: the server, other functions' processes, and any visible one with a low number.
  pid_t pids[400];
  int pid_count;
  const char *file;      // holds a secret
  const char *data_dir;  // the server's
  const char *open_dir;  // anybody may write
  const char *socket;    // a Unix socket anybody may connect to
  const char *abstract;  // another, by name
  int port;              // on loopback
  int ipc_key;           // of shared memory, a queue and a semaphore, open to everybody
};

struct attempt {
  const char *name;
  // 'p': another process, at every level with user ids or namespaces; 'r': with a private root; 's': with a filter.
  char needs;
  int (*run)(const struct target *target);
};

extern const struct attempt process_attempts[];
extern const struct attempt root_attempts[];
extern const struct attempt kernel_attempts[];

int hit(const char *format, ...) __attribute__((format(printf, 1, 2)));
int plant(int key);
int unplant(int key);
#endif
