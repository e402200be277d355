/* What Swift cannot express: vfork, handlers of signals, and calls that glibc declares under _GNU_SOURCE only. All else is static
   inline in the header. */
#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Above the descriptors that a child gets, so that giving it those overwrites no end of a pipe. */
static int make_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, clinux_progress_descriptor + 1);
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

/* The score of this process before it was raised; empty where it was not. */
static char usual_oom_score[16];

static int write_oom_score(const char *text, size_t length) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t written = write(file, text, length);
  close(file);
  return written == (ssize_t)length ? 0 : -1;
}

void clinux_raise_oom_score(int by) {
  int file = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t length = read(file, usual_oom_score, sizeof usual_oom_score - 1);
  close(file);
  if (length <= 0) return;
  char raised[16];
  int score = atoi(usual_oom_score) + by;
  int count = snprintf(raised, sizeof raised, "%d", score > 1000 ? 1000 : score);
  if (write_oom_score(raised, (size_t)count) != 0) usual_oom_score[0] = 0;
}

/* What a child is to be: what it gets as its first descriptors, and whether it stays in this process's group, ignores the signals
   that end it, and ends with the thread that started it. */
struct plan {
  int given[4];
  int count;
  int is_attached;
  pid_t parent;
};

/* Between vfork and exec, in the parent's memory: system calls only. */
static void become(
  char *const *arguments, char *const *environment, const struct plan *plan, uint64_t descriptors, volatile int *failure) {
  struct sigaction usual_action, ignored_action;
  struct sched_param usual;
  struct rlimit limit;
  sigset_t none;
  memset(&usual_action, 0, sizeof usual_action);
  usual_action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &usual_action, NULL);
  memset(&usual, 0, sizeof usual);
  if (plan->is_attached) {
    memset(&ignored_action, 0, sizeof ignored_action);
    ignored_action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignored_action, NULL);
    sigaction(SIGTERM, &ignored_action, NULL);
    sigaction(SIGHUP, &ignored_action, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) {
      *failure = errno;
      _exit(127);
    }
    /* A parent that has ended meanwhile sends no signal. */
    if (getppid() != plan->parent) _exit(127);
  } else if (setpgid(0, 0) != 0) {
    *failure = errno;
    _exit(127);
  }
  if (sched_setscheduler(0, SCHED_OTHER, &usual) != 0) {
    *failure = errno;
    _exit(127);
  }
  /* The ends of the pipes are above those that they become. */
  for (int i = 0; i < plan->count; i++) {
    if (dup2(plan->given[i], i) < 0) {
      *failure = errno;
      _exit(127);
    }
  }
  /* What is not attached gets its errors where its output goes. */
  if (!plan->is_attached && dup2(plan->given[1], 2) < 0) {
    *failure = errno;
    _exit(127);
  }
  closefrom(plan->is_attached ? plan->count : 3);
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && descriptors <= limit.rlim_max) {
    limit.rlim_cur = descriptors;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (usual_oom_score[0] != 0) write_oom_score(usual_oom_score, strlen(usual_oom_score));
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(arguments[0], arguments, environment);
  *failure = errno;
  _exit(127);
}

/* Not posix_spawn, which cannot set a limit. Signals are blocked, so that no handler of this process runs in the child. */
static int spawn(
  char *const *arguments, char *const *environment, const struct plan *plan, uint64_t descriptors, pid_t *pid) {
  sigset_t all, former;
  volatile int failure = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pid_t child = vfork();
  if (child == 0) become(arguments, environment, plan, descriptors, &failure);
  if (child < 0) failure = errno;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (child > 0 && failure != 0) waitpid(child, NULL, 0);
  if (failure == 0) *pid = child;
  return failure;
}

/* `outward[i]` says whether the child writes to its descriptor i; `own[i]` becomes this process's end of it. */
static int spawn_with_pipes(
  char *const *arguments, char *const *environment, const int *outward, int count, int is_attached, uint64_t descriptors,
  int *own, pid_t *pid) {
  struct plan plan = {.count = count, .is_attached = is_attached, .parent = getpid()};
  int code = 0, made = 0;
  for (; made < count; made++) {
    int ends[2];
    code = make_pipe(ends);
    if (code != 0) break;
    plan.given[made] = ends[outward[made] ? 1 : 0];
    own[made] = ends[outward[made] ? 0 : 1];
  }
  if (code == 0) code = spawn(arguments, environment, &plan, descriptors, pid);
  for (int i = 0; i < made; i++) {
    close(plan.given[i]);
    if (code != 0) close(own[i]);
    else fcntl(own[i], F_SETFL, O_NONBLOCK);
  }
  return code;
}

int clinux_spawn(
  char *const *arguments, char *const *environment, uint64_t descriptors, struct clinux_child *child) {
  static const int outward[] = {0, 1};
  int own[2];
  int code = spawn_with_pipes(arguments, environment, outward, 2, 0, descriptors, own, &child->pid);
  if (code != 0) return code;
  child->input = own[0];
  child->output = own[1];
  return 0;
}

int clinux_spawn_analyst(
  char *const *arguments, char *const *environment, uint64_t descriptors, struct clinux_analyst *child) {
  static const int outward[] = {0, 1, 1, 1};
  int own[4];
  int code = spawn_with_pipes(arguments, environment, outward, 4, 1, descriptors, own, &child->pid);
  if (code != 0) return code;
  child->input = own[0];
  child->output = own[1];
  child->errors = own[2];
  child->progress = own[3];
  return 0;
}

/* Crashes. */

enum { crash_count = sizeof clinux_crash_signals / sizeof *clinux_crash_signals, crash_stack = 64 * 1024 };
static struct sigaction former_actions[crash_count];
static int crash_descriptor = -1;
static __thread char work_note[256];
static __thread size_t work_length;

static void crashed(int number, siginfo_t *info, void *context) {
  (void)context;
  if (work_length > 0 && write(crash_descriptor, work_note, work_length) < 0) work_length = 0;
  for (int i = 0; i < crash_count; i++) sigaction(clinux_crash_signals[i], &former_actions[i], NULL);
  /* Sent by kill(2): Swift's handler would report and return, so that the default action ends the process. */
  if (info->si_code == SI_USER) signal(number, SIG_DFL);
  /* A faulting instruction runs again on return; what was sent is sent again. */
  if (info->si_code <= 0) raise(number);
}

void clinux_report_crashes(int descriptor) {
  struct sigaction action;
  crash_descriptor = descriptor;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < crash_count; i++) sigaction(clinux_crash_signals[i], &action, &former_actions[i]);
}

void clinux_note_work(const char *text, size_t length) {
  static __thread int has_stack;
  if (!has_stack) {
    /* A stack that has overflowed holds no handler. It is the thread's for the life of the process. */
    stack_t stack;
    has_stack = 1;
    if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0) {
      memset(&stack, 0, sizeof stack);
      stack.ss_sp = malloc(crash_stack);
      stack.ss_size = crash_stack;
      if (stack.ss_sp != NULL) sigaltstack(&stack, NULL);
    }
  }
  /* A crash in between writes nothing. */
  work_length = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (length > sizeof work_note - 1) length = sizeof work_note - 1;
  memcpy(work_note, text, length);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  work_length = length;
}
