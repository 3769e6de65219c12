// Stands in for an exploit that has left the permission model and JavaScript: native code behind the same walls.
#include "attempt.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char words[256];
static sigjmp_buf before;

int hit(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  return 1;
}

static void on_fault(int number) { siglongjmp(before, number); }

static int try_one(const struct attempt *attempt, const struct target *target) {
  words[0] = 0;
  return sigsetjmp(before, 1) == 0 ? attempt->run(target) : 0;
}

static void try_all(const struct attempt *attempts, const char *needs, const struct target *target) {
  for (; attempts->name != NULL; attempts += 1) {
    if (strchr(needs, attempts->needs) == NULL) continue;
    int told = try_one(attempts, target);
    fprintf(stderr, "%s\t%s\t%s\n", told ? "HIT" : "closed", attempts->name, words);
  }
  fflush(stderr);
}

/** Arguments: which attempts, what is around, how many low process numbers to try, and processes outside. */
int main(int count, char **given) {
  if (count == 3 && strcmp(given[1], "plant") == 0) return plant(atoi(given[2]));
  if (count == 3 && strcmp(given[1], "unplant") == 0) return unplant(atoi(given[2]));
  if (count < 10) return 2;
  struct target target = {.file = given[2], .data_dir = given[3], .open_dir = given[4],
                          .socket = given[5], .abstract = given[6], .port = atoi(given[7]),
                          .ipc_key = atoi(given[8])};
  for (int n = 10; n < count; n += 1) target.pids[target.pid_count++] = atoi(given[n]);
  for (pid_t pid = 1; pid <= atoi(given[9]); pid += 1)
    if (pid != getpid()) target.pids[target.pid_count++] = pid;
  for (int number = 1; number < 32; number += 1)
    if (number == SIGSYS || number == SIGSEGV || number == SIGXFSZ || number == SIGPIPE || number == SIGBUS)
      signal(number, on_fault);
  try_all(process_attempts, given[1], &target);
  try_all(root_attempts, given[1], &target);
  try_all(kernel_attempts, given[1], &target);
  fprintf(stderr, "end\n");
  return 0;
}
