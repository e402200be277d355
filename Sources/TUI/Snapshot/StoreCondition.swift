/// How the store is found. Everything but `ready` has a screen of its own that says what to do.
enum StoreCondition: Sendable, Equatable {
  /// Being opened for the first time.
  case opening
  case ready
  /// The store is there but no run was ever recorded in it.
  case empty
  case missing
  /// It was shown, and was deleted or moved away since.
  case gone
  /// Something at its path that is no store: a directory, another kind of file.
  case notAStore(String)
  case corrupt(String)
  /// Written by a newer version.
  case newer(String)
  /// Somebody keeps it locked.
  case locked
  case unreadable(String)
  /// The run asked for is not in it.
  case noSuchRun(String)
  /// The target asked for is not in the run; the names of those that are.
  case noSuchTarget(String, available: [String])
}
