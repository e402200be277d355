/// Version 10: where the fleet of a cursor was reached, so that a store knows that it is to be forwarded to another one before that
/// one has been reached.
enum SchemaVersion10 {
  /// `place` is the servers and the database as they are configured. The fleet '' is one that was never reached there.
  static let sql = """
    ALTER TABLE forward_cursor ADD COLUMN place TEXT;

    """
}
