import Measurement

/// Which part of a fleet is looked at.
public struct FleetSelection: Sendable, Equatable {
  /// A run's UUID, the beginning of one, its name, or `latest`; `nil` for all that have notifications in the time.
  public var run: String?
  /// Planned at or after; `nil` for no limit.
  public var since: WallTime?
  /// The end of the planned times, which is excluded; `nil` for no limit.
  public var until: WallTime?
  /// Where ``since`` is `nil`: only runs that were recorded after this, as wholes; `nil` for all.
  public var recordedSince: WallTime?
  /// Labels that a run must have.
  public var labels: [Label]
  /// The name of a label: runs with the same value of it are looked at as one.
  public var grouping: String?

  /// A label and the value it must have.
  public struct Label: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  public init(
    run: String? = nil, since: WallTime? = nil, until: WallTime? = nil, labels: [Label] = [],
    grouping: String? = nil
  ) {
    self.run = run
    self.since = since
    self.until = until
    self.labels = labels
    self.grouping = grouping
  }
}
