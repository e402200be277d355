extension StoreSchema {
  /// Version 2: what is kept of the clocks of remote devices.
  static let clockTables = """

    """
}
