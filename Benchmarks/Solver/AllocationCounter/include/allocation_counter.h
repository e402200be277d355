#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#ifdef __cplusplus
extern "C" {
#endif

/// How often memory was asked for since the process began.
long allocation_count(void);

/// The bytes in use now, as the allocator rounds them.
long allocation_live_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
