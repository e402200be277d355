#ifndef STORE_PEER_H
#define STORE_PEER_H

#include <stdint.h>

/// Writes `count` rows into an empty database with the given schema, each inserted once and updated once, in
/// transactions of `batch` of each: what the store's writer does, with nothing but prepared statements.
/// Returns the seconds it took, or a negative number when SQLite refused something.
double store_peer_write(const char *path, const char *schema, int64_t count, int64_t batch, int full);

#endif
