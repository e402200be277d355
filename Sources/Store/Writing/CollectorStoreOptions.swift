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
