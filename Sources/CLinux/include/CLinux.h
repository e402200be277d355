/* Linux calls whose arguments Swift cannot build: packed structs, control messages, macros. */
#ifndef PUSHSCOPE_CLINUX_H
#define PUSHSCOPE_CLINUX_H

#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* struct epoll_event is packed on x86-64, and its data is a union: Swift gets plain pairs instead. */
struct clinux_ready {
  uint32_t events;
  uint64_t tag;
};
static inline int clinux_epoll_set(int epoll, int operation, int fd, uint32_t events, uint64_t tag) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.u64 = tag;
  return epoll_ctl(epoll, operation, fd, &event);
}
/* Waits up to so many milliseconds, -1 for no limit: a timerfd among the descriptors ends the wait then. Returns how
   many of `ready` were filled, 0 after a signal. */
enum { clinux_most_ready = 64 };
static inline int clinux_epoll_wait(int epoll, struct clinux_ready *ready, int milliseconds) {
  struct epoll_event events[clinux_most_ready];
  int count = epoll_wait(epoll, events, clinux_most_ready, milliseconds);
  for (int i = 0; i < count; i++) {
    ready[i].events = events[i].events;
    ready[i].tag = events[i].data.u64;
  }
  return count < 0 ? 0 : count;
}

/* Enumerators of anonymous C enums import as types that epoll_ctl's uint32_t does not take. */
static const uint32_t clinux_epoll_in = EPOLLIN;
static const uint32_t clinux_epoll_out = EPOLLOUT;
static const uint32_t clinux_epoll_error = EPOLLERR;
static const uint32_t clinux_epoll_hangup = EPOLLHUP;

/* Which Clang module has the socket types depends on what else is imported. */
static inline int clinux_local_datagram_socket(void) {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int clinux_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

/* Arms for an absolute CLOCK_MONOTONIC instant in ns; 0 disarms. An instant that is over fires at once. */
static inline int clinux_timerfd_arm(int fd, int64_t at) {
  struct itimerspec spec;
  memset(&spec, 0, sizeof spec);
  spec.it_value.tv_sec = at / 1000000000;
  spec.it_value.tv_nsec = at % 1000000000;
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* A timer that never fires but whose descriptor becomes readable when CLOCK_REALTIME is set. */
static inline int clinux_clock_step_fd(void) {
  int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (fd < 0) return fd;
  struct itimerspec spec;
  memset(&spec, 0, sizeof spec);
  spec.it_value.tv_sec = (time_t)1 << 40;
  if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec, NULL) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

/* prctl is variadic. */
static inline int clinux_set_timer_slack(unsigned long nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

/* How the calling thread gets its turns, by sched_setattr(2), which is in no header of the C library. Among the usual
   threads, `slice` asks for turns of so many ns: whoever asks for short ones is let in sooner when it wakes, which needs no
   privilege (kernels before 6.12 know the call and ignore the length). With a real-time priority the thread goes before all
   usual ones. Threads that it starts get neither. Returns 0 or -1. */
static inline int clinux_set_turns(uint32_t policy, uint32_t priority, uint64_t slice) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.policy = policy;
  attributes.flags = 1; /* SCHED_FLAG_RESET_ON_FORK */
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  attributes.priority = priority;
  attributes.runtime = slice;
  return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
/* The calling thread's policy without SCHED_RESET_ON_FORK, and its niceness. */
static inline int clinux_policy(void) { return sched_getscheduler(0) & ~0x40000000; }
static inline int clinux_niceness(void) { return getpriority(PRIO_PROCESS, 0); }
enum { clinux_usual_turns = SCHED_OTHER, clinux_first_turns = SCHED_FIFO };

/* setsockopt with int values, for the options we use. */
static inline int clinux_set_cork(int fd, int value) {
  return setsockopt(fd, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}
static inline int clinux_stamp_received(int fd) {
  int value = 1;
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &value, sizeof value);
}
/* From now on each packet that ends what one call gave to the socket is stamped as the driver takes it; the stamp, without
   the packet, waits in the socket's error queue. */
static inline int clinux_stamp_sent(int fd) {
  int value = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &value, sizeof value);
}
/* The same, and each stamp says which byte it is of: the number of bytes written since this call, less one. Kernels before 6.2
   do not know SOF_TIMESTAMPING_OPT_ID_TCP (1 << 16, newer than some headers). Returns 0 or -1. */
static inline int clinux_stamp_sent_bytes(int fd) {
  int value = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY |
              SOF_TIMESTAMPING_OPT_ID | (1 << 16);
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &value, sizeof value);
}
/* The same, and while `on` also when the peer's TCP has acknowledged the last byte of what one call gave to the socket. The
   bytes are not counted anew. */
static inline int clinux_stamp_acknowledged(int fd, int on) {
  int value = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY |
              SOF_TIMESTAMPING_OPT_ID | (1 << 16) | (on ? SOF_TIMESTAMPING_TX_ACK : 0);
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &value, sizeof value);
}
static inline int clinux_segment_size(int fd) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, &size) == 0 ? value : 0;
}
/* struct tcp_info grows with kernels: only its first byte is asked for. Returns a TCP_* state or -1. */
static inline int clinux_tcp_state(int fd) {
  uint8_t state = 0;
  socklen_t size = sizeof state;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &size) == 0 ? state : -1;
}
enum { clinux_tcp_established = TCP_ESTABLISHED, clinux_tcp_closed = TCP_CLOSE };

/* The local port of a TCP socket, 0 when it has none: struct sockaddr is cast between families. */
static inline int clinux_local_port(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

/* Control messages need macros and alignment. Peeks at unread bytes without taking any: copies up to `limit` of them to
   `bytes` and gives the kernel's receive stamp, CLOCK_REALTIME ns, of the packet that holds the last one; 0 when there is
   none. Returns how many bytes there were, up to `limit`; 0 at the end of the stream, -1 when nothing is there. */
static inline ssize_t clinux_peek(int fd, void *bytes, size_t limit, int flags, int64_t *stamp) {
  /* Room for the stamp in both forms: a socket that stamps what it sends gives the three-fold one as well. */
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(3 * sizeof(struct timespec))];
    struct cmsghdr align;
  } control;
  struct iovec vector = { bytes, limit };
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  *stamp = 0;
  ssize_t count = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | flags);
  if (count < 0) return -1;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_TIMESTAMPNS) {
      struct timespec time;
      memcpy(&time, CMSG_DATA(part), sizeof time);
      *stamp = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    }
  }
  return count;
}
static inline ssize_t clinux_peek_bytes(int fd, void *bytes, size_t limit, int64_t *stamp) {
  return clinux_peek(fd, bytes, limit, 0, stamp);
}
/* The same without copying them (MSG_TRUNC on TCP), up to 64 KB. */
static inline ssize_t clinux_peek_stamp(int fd, size_t limit, int64_t *stamp) {
  static char nowhere[65536];
  return clinux_peek(fd, nowhere, limit < sizeof nowhere ? limit : sizeof nowhere, MSG_TRUNC, stamp);
}
/* Takes bytes that were peeked at off the socket. Returns 0, or -1 when there are not as many. */
static inline int clinux_discard(int fd, void *bytes, size_t count) {
  return recv(fd, bytes, count, MSG_TRUNC | MSG_DONTWAIT) == (ssize_t)count ? 0 : -1;
}

/* Takes one message off the error queue: of a packet that went out, CLOCK_REALTIME ns, or 0 when it says something else; and
   the number of its last byte where the socket counts them, else 0, and whether the stamp is that of its acknowledgment.
   Returns 0 when the queue is empty. */
static inline int clinux_take_sent_stamp(int fd, int64_t *stamp, uint32_t *byte, int *is_acknowledgment) {
  union {
    char bytes[512];
    struct cmsghdr align;
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  *stamp = 0;
  *byte = 0;
  *is_acknowledgment = 0;
  if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_TIMESTAMPING) {
      /* The first of three is the software's. */
      struct timespec time;
      memcpy(&time, CMSG_DATA(part), sizeof time);
      *stamp = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    } else if ((part->cmsg_level == SOL_IP && part->cmsg_type == IP_RECVERR) ||
               (part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_RECVERR)) {
      struct sock_extended_err error;
      memcpy(&error, CMSG_DATA(part), sizeof error);
      if (error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING) {
        *byte = error.ee_data;
        *is_acknowledgment = error.ee_info == SCM_TSTAMP_ACK;
      }
    }
  }
  return 1;
}

/* The allocator gives memory back to the kernel as soon as 128 KB are free at the end of a heap, under the heap's lock, and
   takes it again page by page a moment later. Up to 16 MB a heap stay with the process until clinux_give_back_freed_memory, and only what is larger
   than 4 MB is a mapping of its own (to set the one ends the other's growing by itself). glibc only. */
static inline void clinux_keep_freed_memory(void) {
#ifdef M_TRIM_THRESHOLD
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}

/* Gives whole pages that were freed back to the kernel, of all arenas, but for 1 MB at the end of the main one. Each arena is locked
   meanwhile. glibc only. */
static inline void clinux_give_back_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(1 << 20);
#endif
}

/* The signals of a process that crashes. */
static const int clinux_crash_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

/* Blocks the signals that can be blocked without hiding a crash, in the calling thread (sigset_t is made by macros).
   They are for other threads; SIGPIPE from a closed connection is for nobody. */
static inline int clinux_block_signals(void) {
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof clinux_crash_signals / sizeof *clinux_crash_signals; i++) sigdelset(&set, clinux_crash_signals[i]);
  return pthread_sigmask(SIG_BLOCK, &set, NULL);
}
static inline int clinux_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

/* adjtimex: a struct of some thirty fields that only this asks for. Whether the kernel takes its clock for synchronized,
   and by how many microseconds it may be off then. */
static inline int clinux_clock_is_synchronized(int64_t *error) {
  struct timex state = {0};
  if (adjtimex(&state) < 0) return -1;
  *error = state.maxerror;
  return !(state.status & STA_UNSYNC);
}

/* A child with pipes to its standard input and from its output and errors. */
struct clinux_child {
  pid_t pid;
  int input, output;
};
/* Raises oom_score_adj, to 1000 at most, so that where memory is short the kernel chooses this process before the one that started
   it. What the functions below start afterwards has the former score. */
void clinux_raise_oom_score(int by);
/* Starts a program by its path: signals as usual, a process group of its own, usual scheduling, no other descriptor.
   `descriptors` is its soft limit of them. Returns 0 or an errno value. */
int clinux_spawn(
  char *const *arguments, char *const *environment, uint64_t descriptors, struct clinux_child *child);

/* A second process of this program: pipes to its standard input, from its output and its errors, and from a descriptor on which it
   says what it works at. */
enum { clinux_progress_descriptor = 3 };
struct clinux_analyst {
  pid_t pid;
  int input, output, errors, progress;
};
/* Starts it in this process's group and session. It ignores SIGINT, SIGTERM and SIGHUP, and is killed when the calling thread
   ends. Returns 0 or an errno value. */
int clinux_spawn_analyst(
  char *const *arguments, char *const *environment, uint64_t descriptors, struct clinux_analyst *child);

/* From now on the text that the crashing thread has noted is written to a descriptor before the process ends by a signal that
   reports a crash. Who handled these signals before handles them afterwards. */
void clinux_report_crashes(int descriptor);
/* The text for the calling thread, at most 255 bytes of it; none for a length of 0. */
void clinux_note_work(const char *text, size_t length);

/* RLIMIT_NOFILE is an enumerator, and the type of the first argument depends on feature macros. */
static inline int clinux_descriptor_limit(uint64_t *soft, uint64_t *hard) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  *soft = limit.rlim_cur;
  *hard = limit.rlim_max;
  return 0;
}
static inline int clinux_set_descriptor_limit(uint64_t soft) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  limit.rlim_cur = soft;
  return setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
