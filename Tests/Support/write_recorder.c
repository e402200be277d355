/* Records what the processes that preload this library do to the files below the directory RECORDER_BELOW, in order, into the
   file RECORDER_LOG: Tests/TestKit/RecordedWrites.swift reads it. An operation is done and recorded under one lock, and is in the
   log before it returns: what a process does because of another's operation comes after it. What is mapped into memory
   (SQLite's -shm) is not recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { CREATED = 1, WRITTEN, TRUNCATED, RENAMED, UNLINKED, SYNCED };

struct record {
  uint32_t kind, length;
  uint64_t file;         /* inode */
  int64_t offset;        /* of what is written; the size of what is truncated; of a name: the length of the first of two; of a sync:
                            whether something was written by the same descriptor */
  int64_t microseconds;  /* CLOCK_MONOTONIC */
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define DESCRIPTORS 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char is_recorded[DESCRIPTORS], has_written[DESCRIPTORS];
static int log_descriptor = -1;

static int is_below(const char *path) {
  const char *below = getenv("RECORDER_BELOW");
  size_t length = below ? strlen(below) : 0;
  return length && strncmp(path, below, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static void record(enum kind kind, uint64_t file, int64_t offset, const void *data, size_t length) {
  if (log_descriptor < 0) {
    log_descriptor = REAL(open)(getenv("RECORDER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_descriptor < 0) abort();
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct record head = {kind, (uint32_t)length, file, offset, now.tv_sec * 1000000LL + now.tv_nsec / 1000};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)data, length}};
  if (writev(log_descriptor, parts, 2) != (ssize_t)(sizeof head + length)) abort();
}

static uint64_t inode(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static int is_of_interest(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && is_recorded[descriptor];
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!is_below(path)) return real(path, flags, mode);
  struct stat status;
  pthread_mutex_lock(&lock);
  int is_new = (flags & O_CREAT) && lstat(path, &status) != 0;
  int descriptor = real(path, flags, mode);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) {
    is_recorded[descriptor] = 1;
    has_written[descriptor] = 0;
    if (is_new) record(CREATED, inode(descriptor), 0, path, strlen(path));
    if (flags & O_TRUNC) record(TRUNCATED, inode(descriptor), 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

#define OPEN(name)                              \
  int name(const char *path, int flags, ...) {  \
    mode_t mode = 0;                            \
    if (flags & (O_CREAT | __O_TMPFILE)) {      \
      va_list rest;                             \
      va_start(rest, flags);                    \
      mode = va_arg(rest, mode_t);              \
      va_end(rest);                             \
    }                                           \
    return opened(REAL(name), path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  if (is_of_interest(descriptor)) is_recorded[descriptor] = 0;
  return REAL(close)(descriptor);
}

static ssize_t written(int descriptor, const void *data, size_t size, int64_t offset) {
  pthread_mutex_lock(&lock);
  int is_placed = offset >= 0;
  if (!is_placed) offset = lseek(descriptor, 0, (fcntl(descriptor, F_GETFL) & O_APPEND) ? SEEK_END : SEEK_CUR);
  ssize_t count = is_placed ? REAL(pwrite)(descriptor, data, size, offset) : REAL(write)(descriptor, data, size);
  has_written[descriptor] = 1;
  if (count > 0) record(WRITTEN, inode(descriptor), offset, data, (size_t)count);
  pthread_mutex_unlock(&lock);
  return count;
}

ssize_t write(int descriptor, const void *data, size_t size) {
  return is_of_interest(descriptor) ? written(descriptor, data, size, -1) : REAL(write)(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
  return is_of_interest(descriptor) ? written(descriptor, data, size, offset) : REAL(pwrite)(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
  return pwrite(descriptor, data, size, offset);
}

int ftruncate(int descriptor, off_t size) {
  if (!is_of_interest(descriptor)) return REAL(ftruncate)(descriptor, size);
  pthread_mutex_lock(&lock);
  int code = REAL(ftruncate)(descriptor, size);
  if (code == 0) record(TRUNCATED, inode(descriptor), size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return code;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

int rename(const char *from, const char *to) {
  if (!is_below(to)) return REAL(rename)(from, to);
  char names[2 * PATH_MAX];
  pthread_mutex_lock(&lock);
  int code = REAL(rename)(from, to);
  int length = snprintf(names, sizeof names, "%s%s", from, to);
  if (code == 0) record(RENAMED, 0, (int64_t)strlen(from), names, (size_t)length);
  pthread_mutex_unlock(&lock);
  return code;
}

int unlink(const char *path) {
  if (!is_below(path)) return REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  int code = REAL(unlink)(path);
  if (code == 0) record(UNLINKED, 0, 0, path, strlen(path));
  pthread_mutex_unlock(&lock);
  return code;
}

static int synced(int (*real)(int), int descriptor) {
  if (!is_of_interest(descriptor)) return real(descriptor);
  pthread_mutex_lock(&lock);
  int code = real(descriptor);
  if (code == 0) record(SYNCED, inode(descriptor), has_written[descriptor], NULL, 0);
  pthread_mutex_unlock(&lock);
  return code;
}

int fsync(int descriptor) { return synced(REAL(fsync), descriptor); }
int fdatasync(int descriptor) { return synced(REAL(fdatasync), descriptor); }
