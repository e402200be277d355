#define _GNU_SOURCE
#include "CNcurses.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { highest_signal = 64 };

static int pipe_ends[2] = {-1, -1};
static struct sigaction replaced[highest_signal + 1];
static bool caught[highest_signal + 1];

void cncurses_default_signal(int number) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void cncurses_unblock_signal(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int cncurses_poll(struct pollfd *descriptors, unsigned long count, long long nanoseconds) {
  const struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(descriptors, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}

int cncurses_signal_pipe(void) {
  if (pipe_ends[0] < 0 && pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  return pipe_ends[0];
}

static void write_to_pipe(int number) {
  const int saved = errno;
  const unsigned char byte = (unsigned char)number;
  // A full pipe already wakes its reader; losing one of hundreds of resizes loses nothing.
  const ssize_t ignored = write(pipe_ends[1], &byte, 1);
  (void)ignored;
  errno = saved;
}

int cncurses_catch_signal(int number) {
  if (number < 1 || number > highest_signal || cncurses_signal_pipe() < 0) return -1;
  struct sigaction action = {.sa_handler = write_to_pipe, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  struct sigaction before;
  if (sigaction(number, &action, &before) != 0) return -1;
  if (!caught[number]) replaced[number] = before;
  caught[number] = true;
  cncurses_unblock_signal(number);
  return 0;
}

void cncurses_release_signal(int number) {
  if (number < 1 || number > highest_signal || !caught[number]) return;
  caught[number] = false;
  sigaction(number, &replaced[number], NULL);
}
