/// A row of the `control` table that nobody has answered yet.
public struct ControlRequest: Sendable, Equatable {
  public var row: Int64
  /// `nil` when the row makes no sense.
  public var command: ControlCommand?
}
