public import Store

/// Where a dashboard reads: the store of one collector, or the engine that a fleet forwards to.
public struct DashboardPlace: Sendable {
  /// A path, or the engine's address and database: for titles and messages.
  public let name: String
  let kind: Kind
  /// Called on the thread that reads, which closes what it returns.
  public let open: @Sendable () throws -> any DashboardSource

  enum Kind: Sendable, Equatable {
    case store
    /// Read only: runs are started, named and deleted at their collectors.
    case fleet
  }

  /// The store at a path.
  public static func store(_ path: String) -> DashboardPlace {
    DashboardPlace(name: path, kind: .store) { try StoreReader.open(at: path) }
  }

  /// A fleet of that name.
  /// - Parameter open: connects to the engine.
  public static func fleet(_ name: String, open: @escaping @Sendable () throws -> any DashboardSource)
    -> DashboardPlace
  {
    DashboardPlace(name: name, kind: .fleet, open: open)
  }

  private init(name: String, kind: Kind, open: @escaping @Sendable () throws -> any DashboardSource) {
    (self.name, self.kind, self.open) = (name, kind, open)
  }
}
