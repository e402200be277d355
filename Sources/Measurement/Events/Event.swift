/// Something that happened during a run: a row of the `events` table.
public struct Event: Sendable, Equatable {
  public var at: WallTime
  public var kind: EventKind
  /// The target it concerns; `nil` for the run as a whole.
  public var target: TargetID?
  public var connectionID: Int64?
  public var sequence: Int64?
  /// How many of the kind this row stands for: floods are counted, not listed.
  public var count: Int
  /// Free text for people; may hold text from outside, so sinks escape it.
  public var detail: String

  public init(
    at: WallTime, kind: EventKind, target: TargetID? = nil, connectionID: Int64? = nil,
    sequence: Int64? = nil, count: Int = 1, detail: String = ""
  ) {
    self.at = at
    self.kind = kind
    self.target = target
    self.connectionID = connectionID
    self.sequence = sequence
    self.count = count
    self.detail = detail
  }
}
