extension StoreSchema {
  /// Version 2: what is kept of the tool's own error.
  static let instrumentTables = """

    """
}
