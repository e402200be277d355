/* What does not fit into a header: calls that glibc declares under _GNU_SOURCE only. All else is static inline in the header. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

/* Above the standard descriptors, so that giving those to the child overwrites no end of a pipe. */
static int make_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
    if (ends[i] < 0) {
      int code = errno;
      if (i == 1) close(ends[0]);
      close(low[0]);
      close(low[1]);
      return code;
    }
  }
  close(low[0]);
  close(low[1]);
  return 0;
}

static int spawn(char *const *arguments, char *const *environment, int input, int output, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  struct sched_param usual;
  memset(&usual, 0, sizeof usual);
  sigemptyset(&none);
  sigfillset(&all);
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return code;
  }
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (code == 0) code = posix_spawnattr_setsigmask(&attributes, &none);
  if (code == 0) code = posix_spawnattr_setsigdefault(&attributes, &all);
  if (code == 0) code = posix_spawnattr_setpgroup(&attributes, 0);
  if (code == 0) code = posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
  if (code == 0) code = posix_spawnattr_setschedparam(&attributes, &usual);
  if (code == 0)
    code = posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSCHEDULER);
  if (code == 0) code = posix_spawn(pid, arguments[0], &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

int clinux_spawn(char *const *arguments, char *const *environment, struct clinux_child *child) {
  int input[2], output[2];
  int code = make_pipe(input);
  if (code != 0) return code;
  code = make_pipe(output);
  if (code != 0) {
    close(input[0]);
    close(input[1]);
    return code;
  }
  code = spawn(arguments, environment, input[0], output[1], &child->pid);
  close(input[0]);
  close(output[1]);
  if (code != 0) {
    close(input[1]);
    close(output[0]);
    return code;
  }
  fcntl(input[1], F_SETFL, O_NONBLOCK);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  child->input = input[1];
  child->output = output[0];
  return 0;
}
