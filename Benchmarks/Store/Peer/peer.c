#include "StorePeer.h"

#include <sqlite3.h>
#include <stddef.h>
#include <time.h>

static const char *insert_sql =
    "INSERT INTO sample (id, variant_id, planned_at, planned_monotonic_us, state, revision) "
    "VALUES (?1, 0, ?2, ?3, 0, ?4)";

static const char *update_sql =
    "UPDATE sample SET state = ?2, status = ?3, reason = ?4, schedule_lag_us = ?5, service_us = ?6, "
    "accept_us = ?7, delivery_us = ?8, delivery_error_us = ?9, timestamp_source = ?10, duplicates = ?11, "
    "out_of_order = ?12, connection_id = ?13, connection_age_ms = ?14, fresh_connection = ?15, "
    "streams_in_flight = ?16, attempt = ?17, payload_bytes = ?18, dns_us = ?19, connect_us = ?20, tls_us = ?21, "
    "http_version = ?22, revision = ?23 WHERE id = ?1";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE;
}

static int insert_row(sqlite3_stmt *insert, int64_t id, int64_t revision) {
  sqlite3_bind_int64(insert, 1, id);
  sqlite3_bind_int64(insert, 2, 1772366400000000 + id * 1000);
  sqlite3_bind_int64(insert, 3, 5000000000 + id * 1000);
  sqlite3_bind_int64(insert, 4, revision);
  return run(insert);
}

static int update_row(sqlite3_stmt *update, int64_t id, int64_t revision) {
  sqlite3_bind_int64(update, 1, id);
  sqlite3_bind_int64(update, 2, 3);
  sqlite3_bind_int64(update, 3, 200);
  sqlite3_bind_null(update, 4);
  sqlite3_bind_int64(update, 5, 60 + id % 40);
  sqlite3_bind_int64(update, 6, 1200 + id % 999);
  sqlite3_bind_int64(update, 7, 60 + id % 40 + 1200 + id % 999);
  sqlite3_bind_int64(update, 8, 40000 + id % 9999);
  sqlite3_bind_int64(update, 9, 0);
  sqlite3_bind_int64(update, 10, 0);
  sqlite3_bind_int64(update, 11, 0);
  sqlite3_bind_int64(update, 12, 0);
  sqlite3_bind_int64(update, 13, 1);
  sqlite3_bind_int64(update, 14, id % 100000);
  sqlite3_bind_int64(update, 15, 0);
  sqlite3_bind_int64(update, 16, 1 + id % 7);
  sqlite3_bind_int64(update, 17, 1);
  sqlite3_bind_int64(update, 18, 211);
  sqlite3_bind_null(update, 19);
  sqlite3_bind_null(update, 20);
  sqlite3_bind_null(update, 21);
  sqlite3_bind_int64(update, 22, 2);
  sqlite3_bind_int64(update, 23, revision);
  return run(update);
}

static double write_all(sqlite3 *db, int64_t count, int64_t batch) {
  sqlite3_stmt *insert = NULL, *update = NULL, *begin = NULL, *commit = NULL;
  int fine = sqlite3_prepare_v2(db, insert_sql, -1, &insert, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(db, update_sql, -1, &update, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(db, "BEGIN IMMEDIATE", -1, &begin, NULL) == SQLITE_OK &&
             sqlite3_prepare_v2(db, "COMMIT", -1, &commit, NULL) == SQLITE_OK;
  int64_t revision = 0;
  double start = now();
  for (int64_t first = 1; fine && first <= count + batch; first += batch) {
    fine = run(begin);
    for (int64_t id = first; fine && id < first + batch && id <= count; id++)
      fine = insert_row(insert, (1LL << 40) + id, ++revision);
    for (int64_t id = first - batch; fine && id < first && id <= count; id++)
      if (id >= 1) fine = update_row(update, (1LL << 40) + id, ++revision);
    fine = fine && run(commit);
  }
  double seconds = now() - start;
  sqlite3_finalize(insert);
  sqlite3_finalize(update);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return fine ? seconds : -1;
}

double store_peer_write(const char *path, const char *schema, int64_t count, int64_t batch, int full) {
  sqlite3 *db = NULL;
  double seconds = -1;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ==
          SQLITE_OK &&
      sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) == SQLITE_OK &&
      sqlite3_exec(db, full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL) ==
          SQLITE_OK &&
      sqlite3_exec(db, "PRAGMA cache_size = -16384", NULL, NULL, NULL) == SQLITE_OK &&
      sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK)
    seconds = write_all(db, count, batch);
  sqlite3_close(db);
  return seconds;
}
