/// What concerns the collector and not a single target.
public struct CollectorConfiguration: Sendable, Hashable {
  /// The listener for devices' receipts; `nil` when there is none.
  public var receipts: ReceiptsConfiguration?
  public var durability: Durability

  /// What a commit waits for.
  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// SQLite's WAL without a sync each commit: a crash of the program loses nothing, one of the machine the last
    /// moments.
    case normal
    /// fsync each commit.
    case full
  }

  public init(receipts: ReceiptsConfiguration? = nil, durability: Durability = .normal) {
    self.receipts = receipts
    self.durability = durability
  }

  init(_ value: YAMLValue) {
    self.init()
    guard let map = value.mapping(keys: ["receipts", "durability"]) else { return }
    receipts = map["receipts"].flatMap { ReceiptsConfiguration($0) }
    durability = map["durability"]?.choice(of: Durability.self) ?? .normal
  }
}
