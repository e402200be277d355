/* A clock that runs RATE times as fast for the processes that preload this library, from the instant ORIGIN (CLOCK_MONOTONIC, ns)
   on: an hour of theirs takes 3600 / RATE seconds. Processes that were started at different times agree about it. Clocks are read
   faster, waits and timers end sooner, and the kernel's stamps of packets are moved to where the faster clock was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h>

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * 1000000000LL + time->tv_nsec; }

static struct timespec timespec_of(int64_t nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000LL, nanoseconds % 1000000000LL};
  return time;
}

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return nanoseconds(&time);
}

/* Those that tell the time of day or the time since the start; the others count a process's work. */
static int is_wall_or_monotonic(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW ||
         clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

/* How far a clock is ahead of CLOCK_MONOTONIC. */
static int64_t ahead(clockid_t clock) {
  return clock == CLOCK_MONOTONIC ? 0 : read_clock(clock) - read_clock(CLOCK_MONOTONIC);
}

static int64_t faster(int64_t real) { return ORIGIN + (real - ORIGIN) * RATE; }
static int64_t slower(int64_t fast) { return ORIGIN + (fast - ORIGIN) / RATE; }

/* A length of time; one that is not 0 stays so. */
static int64_t shorter(int64_t length) { return length <= 0 ? length : (length + RATE - 1) / RATE; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Only on x86-64 is there an older function of the same name, which dlsym would find. */
static void *versioned(const char *name, const char *version) {
  void *found = dlvsym(RTLD_NEXT, name, version);
  return found ? found : dlsym(RTLD_NEXT, name);
}
#define VERSIONED(name, version) ((__typeof__(&name))versioned(#name, version))

/* Clocks */

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_wall_or_monotonic(clock)) return (int)syscall(SYS_clock_gettime, clock, time);
  int64_t monotonic = read_clock(CLOCK_MONOTONIC);
  int64_t offset = clock == CLOCK_MONOTONIC ? 0 : read_clock(clock) - monotonic;
  *time = timespec_of(faster(monotonic) + offset);
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

/* Waits */

int nanosleep(const struct timespec *length, struct timespec *rest) {
  struct timespec wait = timespec_of(shorter(nanoseconds(length)));
  int code = (int)syscall(SYS_nanosleep, &wait, rest);
  if (code != 0 && rest) *rest = timespec_of(nanoseconds(rest) * RATE);
  return code;
}

int usleep(useconds_t length) {
  struct timespec wait = timespec_of(length * 1000LL);
  return nanosleep(&wait, NULL);
}

unsigned int sleep(unsigned int seconds) {
  struct timespec wait = {seconds, 0}, rest = {0, 0};
  return nanosleep(&wait, &rest) == 0 ? 0 : (unsigned int)rest.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
  struct timespec wait = timespec_of(shorter(nanoseconds(request)));
  if (flags & TIMER_ABSTIME) {
    int64_t offset = ahead(clock);
    wait = timespec_of(slower(nanoseconds(request) - offset) + offset);
  }
  return syscall(SYS_clock_nanosleep, clock, flags, &wait, rest) == 0 ? 0 : errno;
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  struct timespec wait;
  if (limit) wait = timespec_of(shorter(nanoseconds(limit)));
  return REAL(ppoll)(descriptors, count, limit ? &wait : NULL, mask);
}

int poll(struct pollfd *descriptors, nfds_t count, int limit) {
  struct timespec wait = timespec_of(limit * 1000000LL);
  return ppoll(descriptors, count, limit < 0 ? NULL : &wait, NULL);
}

int epoll_pwait2(int set, struct epoll_event *events, int count, const struct timespec *limit, const sigset_t *mask) {
  struct timespec wait;
  if (limit) wait = timespec_of(shorter(nanoseconds(limit)));
  return REAL(epoll_pwait2)(set, events, count, limit ? &wait : NULL, mask);
}

int epoll_pwait(int set, struct epoll_event *events, int count, int limit, const sigset_t *mask) {
  struct timespec wait = timespec_of(limit * 1000000LL);
  return epoll_pwait2(set, events, count, limit < 0 ? NULL : &wait, mask);
}

int epoll_wait(int set, struct epoll_event *events, int count, int limit) {
  return epoll_pwait(set, events, count, limit, NULL);
}

int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict error, struct timeval *restrict limit) {
  if (!limit) return REAL(select)(count, in, out, error, NULL);
  int64_t length = shorter(limit->tv_sec * 1000000LL + limit->tv_usec);
  struct timeval wait = {length / 1000000, length % 1000000};
  return REAL(select)(count, in, out, error, &wait);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict instant) {
  int64_t offset = ahead(CLOCK_REALTIME);
  struct timespec wait = timespec_of(slower(nanoseconds(instant) - offset) + offset);
  return REAL(sem_timedwait)(semaphore, &wait);
}

/* The clock of a condition is not asked for: what lies near the faster monotonic clock is meant for it. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict instant) {
  int64_t offset = ahead(CLOCK_REALTIME);
  int64_t at = nanoseconds(instant);
  if (at < offset / 2) offset = 0;
  struct timespec wait = timespec_of(slower(at - offset) + offset);
  return VERSIONED(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, &wait);
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict instant) {
  int64_t offset = ahead(clock);
  struct timespec wait = timespec_of(slower(nanoseconds(instant) - offset) + offset);
  return REAL(pthread_cond_clockwait)(condition, mutex, clock, &wait);
}

/* Timers */

#define DESCRIPTORS 65536
static clockid_t timer_clocks[DESCRIPTORS];

int timerfd_create(clockid_t clock, int flags) {
  int descriptor = REAL(timerfd_create)(clock, flags);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) timer_clocks[descriptor] = clock;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  struct itimerspec timer;
  timer.it_interval = timespec_of(shorter(nanoseconds(&new->it_interval)));
  int64_t value = nanoseconds(&new->it_value);
  /* One that is further away than a hundred years never fires. */
  int is_far = new->it_value.tv_sec > 4000000000LL;
  if (value != 0 && (flags & TFD_TIMER_ABSTIME) && !is_far) {
    int64_t offset = ahead(timer_clocks[descriptor % DESCRIPTORS]);
    value = slower(value - offset) + offset;
    if (value < 1) value = 1;
  } else {
    value = shorter(value);
  }
  timer.it_value = is_far ? new->it_value : timespec_of(value);
  return REAL(timerfd_settime)(descriptor, flags, &timer, old);
}

/* The kernel's stamps */

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  ssize_t count = REAL(recvmsg)(socket, message, flags);
  if (count < 0) return count;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING) continue;
    struct scm_timestamping *stamps = (struct scm_timestamping *)CMSG_DATA(part);
    int64_t stamp = nanoseconds(&stamps->ts[0]);
    if (stamp == 0) continue;
    int64_t offset = ahead(CLOCK_REALTIME);
    stamps->ts[0] = timespec_of(faster(stamp - offset) + offset);
  }
  return count;
}
