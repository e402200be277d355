/// What a power cut may cost. Neither loses anything when only the collector dies.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// The last commits may be gone after a power cut; the store stays whole.
  case normal
  /// Each commit is on the disk before it counts: an fsync each.
  case full
}
