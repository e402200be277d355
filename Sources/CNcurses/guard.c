#define _GNU_SOURCE
#include "CNcurses.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { most_bytes = 512, signal_stack_bytes = 64 * 1024 };

// Every signal that ends a process unless it is caught or ignored, but those that become events. SIGQUIT is among them so
// that Ctrl-\ helps even when the drawing thread hangs. The crashes come first.
static const int fatal_signals[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGTRAP,   SIGFPE,  SIGABRT,   SIGSYS, SIGQUIT, SIGXCPU,
                                    SIGXFSZ, SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGSTKFLT, SIGIO,  SIGPWR,  SIGUSR1,
                                    SIGUSR2};
enum { fatal_count = sizeof fatal_signals / sizeof fatal_signals[0], crash_count = 7 };

static atomic_bool armed;
static int terminal_descriptor = -1;
static struct termios shell_modes;
static char restore_bytes[most_bytes];
static size_t restore_count;
static struct sigaction replaced[fatal_count];
static bool installed;
static bool wants_backtrace;
static bool writes_report;
static char signal_stack[signal_stack_bytes];

static void restore_at_exit(void) { cncurses_guard_restore(); }

// Waits a moment for a terminal that does not read, then gives up: ending matters more than looking tidy.
static void write_all(int descriptor, const char *bytes, size_t count) {
  int attempts = 20;
  while (count > 0) {
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
    if (poll(&ready, 1, 50) <= 0) {
      if (--attempts == 0) return;
      continue;
    }
    const ssize_t written = write(descriptor, bytes, count);
    if (written < 0) {
      if ((errno != EINTR && errno != EAGAIN) || --attempts == 0) return;
      continue;
    }
    bytes += written;
    count -= (size_t)written;
  }
}

bool cncurses_guard_restore(void) {
  if (!atomic_exchange(&armed, false)) return false;
  const int saved = errno;
  write_all(terminal_descriptor, restore_bytes, restore_count);
  // Not TCSADRAIN: it would wait without limit for a terminal that does not read.
  sigset_t background, before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &background, &before);
  tcsetattr(terminal_descriptor, TCSANOW, &shell_modes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = saved;
  return true;
}

bool cncurses_guard_is_armed(void) { return atomic_load(&armed); }

// Where Swift's backtracer writes its report is said by the environment.
static char crash_advice[most_bytes] = "it crashed; SWIFT_BACKTRACE=enable=yes in the environment shows where\n";

// Lets whoever was here before (Swift's backtracer) say its piece.
static void call_replaced(const struct sigaction *before, int number, siginfo_t *information, void *context) {
  if ((before->sa_flags & SA_SIGINFO) != 0) {
    if (before->sa_sigaction != NULL) before->sa_sigaction(number, information, context);
  } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
    before->sa_handler(number);
  }
}

static void restore_and_raise(int number, siginfo_t *information, void *context) {
  const bool was_ours = cncurses_guard_restore();
  const struct sigaction *before = NULL;
  bool is_crash = false;
  for (int index = 0; index < fatal_count; index += 1) {
    if (fatal_signals[index] != number) continue;
    before = &replaced[index];
    is_crash = index < crash_count;
  }
  if (before == NULL) return;
  if (was_ours && is_crash && (!wants_backtrace || writes_report)) {
    write_all(terminal_descriptor, crash_advice, strlen(crash_advice));
  }
  // A fault happens again on return, with its address intact for whoever was here before.
  const bool recurs = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
  if (recurs && information != NULL && information->si_code > 0) {
    sigaction(number, before, NULL);
    return;
  }
  // A signal that somebody sent, or that points past its instruction, does not: a handler that counts on it would
  // return and leave the process alive. So it is run here, and then the process dies of the signal.
  call_replaced(before, number, information, context);
  const struct sigaction fatal = {.sa_handler = SIG_DFL};
  sigaction(number, &fatal, NULL);
  raise(number);
}

// What the process was told to ignore (by nohup, or a shell that put it in the background) stays ignored.
static bool is_ignored(int number) {
  struct sigaction present;
  return sigaction(number, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO) == 0
         && present.sa_handler == SIG_IGN;
}

static void install(void) {
  const stack_t stack = {.ss_sp = signal_stack, .ss_size = signal_stack_bytes};
  stack_t present;
  if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0) sigaltstack(&stack, NULL);
  for (int index = 0; index < fatal_count; index += 1) cncurses_unblock_signal(fatal_signals[index]);
  if (installed) return;
  installed = true;
  atexit(restore_at_exit);
  // Swift's backtracer takes half a minute for a program of this size and then waits for a key, with the shell behind it.
  // Whoever wants it says so.
  wants_backtrace = getenv("SWIFT_BACKTRACE") != NULL;
  for (int index = 0; index < fatal_count; index += 1) {
    struct sigaction action = {.sa_sigaction = restore_and_raise, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (is_ignored(fatal_signals[index])) continue;
    sigaction(fatal_signals[index], &action, &replaced[index]);
    if (!wants_backtrace) replaced[index] = (struct sigaction){.sa_handler = SIG_DFL};
  }
  const char *reports = getenv("PUSHSCOPE_CRASH_REPORTS");
  // Without Swift's backtracer on this host, as where the program is linked statically, there is no report.
  if (wants_backtrace && reports != NULL && (replaced[0].sa_flags & SA_SIGINFO) != 0) {
    writes_report = true;
    snprintf(crash_advice, sizeof crash_advice, "it crashed; a report of where is written to a file in %s\n", reports);
  } else if (wants_backtrace && reports != NULL) {
    writes_report = true;
    snprintf(crash_advice, sizeof crash_advice, "it crashed\n");
  }
}

int cncurses_guard_arm(int terminal, const char *bytes, size_t count) {
  if (count > most_bytes) return -1;
  atomic_store(&armed, false);
  if (tcgetattr(terminal, &shell_modes) != 0) return -1;
  terminal_descriptor = terminal;
  memcpy(restore_bytes, bytes, count);
  restore_count = count;
  install();
  atomic_store(&armed, true);
  return 0;
}

void cncurses_guard_rearm(void) { atomic_store(&armed, true); }
