/// How a collector opens its store.
public struct CollectorStoreOptions: Sendable, Equatable {
  public var durability: Durability
  /// This boot's id (`/proc/sys/kernel/random/boot_id`): tells whether the monotonic clock of an unfinished run is
  /// still running.
  public var bootID: String

  public init(bootID: String, durability: Durability = .normal) {
    self.bootID = bootID
    self.durability = durability
  }
}

/// What a power cut may cost. Neither loses anything when only the collector dies.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// The last commits may be gone after a power cut; the store stays whole.
  case normal
  /// Each commit is on the disk before it counts: an fsync each.
  case full
}
