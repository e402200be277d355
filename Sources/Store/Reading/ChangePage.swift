/// Rows that changed after a cursor, in the order of their changes.
public struct ChangePage<Row: Sendable>: Sendable {
  public var rows: ContiguousArray<Row>
  /// The cursor to go on with.
  public var next: Int64
  /// Whether nothing more had changed when this was read; otherwise the limit was reached, and there may be more.
  public var isComplete: Bool
}

extension ChangePage: Equatable where Row: Equatable {}
