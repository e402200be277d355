// Stands in for the C library's allocator and counts. Both the Swift driver and the C++ peer link this file, so their
// figures mean the same. The programs measured run on one thread, so plain counters do.
#include "allocation_counter.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static long count;
static long live;

static void *counted(void *block) {
  if (block) {
    count++;
    live += (long)malloc_usable_size(block);
  }
  return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *old, size_t size) {
  if (old) live -= (long)malloc_usable_size(old);
  void *block = __libc_realloc(old, size);
  if (!block && old && size) live += (long)malloc_usable_size(old);
  return counted(block);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *block = counted(__libc_memalign(alignment, size));
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void free(void *block) {
  if (block) live -= (long)malloc_usable_size(block);
  __libc_free(block);
}

long allocation_count(void) { return count; }

long allocation_live_bytes(void) { return live; }
