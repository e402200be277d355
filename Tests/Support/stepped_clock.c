/* A clock of the day that can be set while programs run, for the processes that preload this library. The file CLOCK_FILE has how far
   it is ahead of the host's; every process maps it. Kernel stamps of packets have the offset that was in force when the packet came, and
   a timer with TFD_TIMER_CANCEL_ON_SET becomes readable when the clock is set. CLOCK_BOOTTIME can be ahead, too, as after a suspend, and
   CLOCK_MONOTONIC can stand still; waits and timers go on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h>

/* Times in ns. The writer makes `version` odd, changes the rest, and makes it even again. */
struct shared_offset {
  volatile uint64_t version;
  volatile int64_t offset;
  volatile int64_t former;
  volatile int64_t changed_at; /* by the host's CLOCK_REALTIME */
  volatile int64_t asleep;     /* how far CLOCK_BOOTTIME is ahead */
  volatile int64_t stands_at;  /* of CLOCK_MONOTONIC; 0 where it goes */
};

static const struct shared_offset none;
static const struct shared_offset *shared = &none;
static int (*real_gettime)(clockid_t, struct timespec *);

static int64_t nanoseconds(const struct timespec *time) { return time->tv_sec * 1000000000LL + time->tv_nsec; }

static struct timespec timespec_of(int64_t nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000LL, nanoseconds % 1000000000LL};
  if (time.tv_nsec < 0) {
    time.tv_sec -= 1;
    time.tv_nsec += 1000000000LL;
  }
  return time;
}

static struct shared_offset read_shared(void) {
  for (;;) {
    struct shared_offset copy;
    uint64_t before = __atomic_load_n(&shared->version, __ATOMIC_ACQUIRE);
    copy.version = before;
    copy.offset = shared->offset;
    copy.former = shared->former;
    copy.changed_at = shared->changed_at;
    copy.asleep = shared->asleep;
    copy.stands_at = shared->stands_at;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!(before & 1) && before == __atomic_load_n(&shared->version, __ATOMIC_RELAXED)) return copy;
  }
}

static int64_t offset_now(void) { return read_shared().offset; }

static int is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

__attribute__((constructor)) static void map_offset(void) {
  real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int file = open(CLOCK_FILE, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(struct shared_offset), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) shared = memory;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Only on x86-64 is there an older function of the same name, which dlsym would find. */
static void *versioned(const char *name, const char *version) {
  void *found = dlvsym(RTLD_NEXT, name, version);
  return found ? found : dlsym(RTLD_NEXT, name);
}
#define VERSIONED(name, version) ((__typeof__(&name))versioned(#name, version))

/* Clocks */

int clock_gettime(clockid_t clock, struct timespec *time) {
  int code = real_gettime ? real_gettime(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
  if (code != 0) return code;
  struct shared_offset now = read_shared();
  if (is_wall(clock)) *time = timespec_of(nanoseconds(time) + now.offset);
  if (now.stands_at && (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME)) *time = timespec_of(now.stands_at);
  if (clock == CLOCK_BOOTTIME) *time = timespec_of(nanoseconds(time) + now.asleep);
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

/* Waits until an instant by the clock of the day */

static struct timespec host_instant(const struct timespec *instant) { return timespec_of(nanoseconds(instant) - offset_now()); }

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
  struct timespec wait = *request;
  if (is_wall(clock) && (flags & TIMER_ABSTIME)) wait = host_instant(request);
  return syscall(SYS_clock_nanosleep, clock, flags, &wait, rest) == 0 ? 0 : errno;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict instant) {
  struct timespec wait = host_instant(instant);
  return REAL(sem_timedwait)(semaphore, &wait);
}

/* The clock of a condition is not asked for: an instant after 2001 is one of the day. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict instant) {
  struct timespec wait = instant->tv_sec > 1000000000LL ? host_instant(instant) : *instant;
  return VERSIONED(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, &wait);
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict instant) {
  struct timespec wait = is_wall(clock) ? host_instant(instant) : *instant;
  return VERSIONED(pthread_cond_clockwait, "GLIBC_2.34")(condition, mutex, clock, &wait);
}

/* Timers. Those that are to tell of a clock that was set are made to fire by a thread that looks each 20 ms. */

#define WATCHED 8
static int watched[WATCHED] = {-1, -1, -1, -1, -1, -1, -1, -1};
static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void *watch(void *unused) {
  (void)unused;
  int64_t known = offset_now();
  for (;;) {
    struct timespec pause = {0, 20000000};
    syscall(SYS_nanosleep, &pause, NULL);
    int64_t offset = offset_now();
    if (offset == known) continue;
    known = offset;
    struct itimerspec soon;
    memset(&soon, 0, sizeof soon);
    soon.it_value.tv_nsec = 1;
    pthread_mutex_lock(&watch_lock);
    for (int index = 0; index < WATCHED; index++)
      if (watched[index] >= 0) REAL(timerfd_settime)(watched[index], 0, &soon, NULL);
    pthread_mutex_unlock(&watch_lock);
  }
  return NULL;
}

static void start_watching(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, watch, NULL) == 0) pthread_detach(thread);
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  if (!(flags & TFD_TIMER_CANCEL_ON_SET)) return REAL(timerfd_settime)(descriptor, flags, new, old);
  pthread_mutex_lock(&watch_lock);
  for (int index = 0; index < WATCHED; index++) {
    if (watched[index] >= 0 && watched[index] != descriptor) continue;
    watched[index] = descriptor;
    break;
  }
  pthread_mutex_unlock(&watch_lock);
  pthread_once(&watch_once, start_watching);
  return REAL(timerfd_settime)(descriptor, flags, new, old);
}

int close(int descriptor) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
  for (int index = 0; index < WATCHED; index++) {
    if (descriptor < 0 || watched[index] != descriptor) continue;
    pthread_mutex_lock(&watch_lock);
    watched[index] = -1;
    pthread_mutex_unlock(&watch_lock);
  }
  return real(descriptor);
}

/* The kernel's stamps */

static void move(struct timespec *stamp, const struct shared_offset *now) {
  int64_t at = nanoseconds(stamp);
  if (at != 0) *stamp = timespec_of(at + (at < now->changed_at ? now->former : now->offset));
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  static ssize_t (*real)(int, struct msghdr *, int);
  if (!real) real = (ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
  ssize_t count = real(socket, message, flags);
  if (count < 0) return count;
  struct shared_offset now = read_shared();
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_TIMESTAMPING) move(((struct scm_timestamping *)CMSG_DATA(part))->ts, &now);
    if (part->cmsg_type == SCM_TIMESTAMPNS) move((struct timespec *)CMSG_DATA(part), &now);
  }
  return count;
}
