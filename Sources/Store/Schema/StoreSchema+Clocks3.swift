extension StoreSchema {
  /// Version 3: how long the host had slept when an exchange was booked, so that a later collector of the same boot knows
  /// which exchanges still tell of a clock; NULL in older rows, which are not taken up.
  static let thirdClocks = """
    ALTER TABLE clock_exchange ADD COLUMN host_slept_us INTEGER;

    """
}
