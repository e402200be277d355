/* What does not fit into a header: calls that glibc declares under _GNU_SOURCE only. All else is static inline in the header. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

/* Between vfork and exec, in the parent's memory: system calls only. */
static void become(
  char *const *arguments, char *const *environment, int input, int output, uint64_t descriptors, volatile int *failure) {
  struct sigaction usual_action;
  struct sched_param usual;
  struct rlimit limit;
  sigset_t none;
  memset(&usual_action, 0, sizeof usual_action);
  usual_action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &usual_action, NULL);
  memset(&usual, 0, sizeof usual);
  if (setpgid(0, 0) != 0 || sched_setscheduler(0, SCHED_OTHER, &usual) != 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 ||
      dup2(output, 2) < 0) {
    *failure = errno;
    _exit(127);
  }
  closefrom(3);
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && descriptors <= limit.rlim_max) {
    limit.rlim_cur = descriptors;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(arguments[0], arguments, environment);
  *failure = errno;
  _exit(127);
}

/* Not posix_spawn, which cannot set a limit. Signals are blocked, so that no handler of this process runs in the child. */
static int spawn(
  char *const *arguments, char *const *environment, int input, int output, uint64_t descriptors, pid_t *pid) {
  sigset_t all, former;
  volatile int failure = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pid_t child = vfork();
  if (child == 0) become(arguments, environment, input, output, descriptors, &failure);
  if (child < 0) failure = errno;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (child > 0 && failure != 0) waitpid(child, NULL, 0);
  if (failure == 0) *pid = child;
  return failure;
}

int clinux_spawn(
  char *const *arguments, char *const *environment, uint64_t descriptors, struct clinux_child *child) {
  int input[2], output[2];
  int code = make_pipe(input);
  if (code != 0) return code;
  code = make_pipe(output);
  if (code != 0) {
    close(input[0]);
    close(input[1]);
    return code;
  }
  code = spawn(arguments, environment, input[0], output[1], descriptors, &child->pid);
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
