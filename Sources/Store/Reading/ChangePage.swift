/// Rows that changed after a cursor, in the order of their changes.
public struct ChangePage<Row: Sendable>: Sendable {
  public var rows: ContiguousArray<Row>
  /// The cursor for the next read.
  public var next: Int64
  /// Whether these were all changes; otherwise the limit was reached, and there may be more.
  public var isComplete: Bool

  public init(rows: ContiguousArray<Row>, next: Int64, isComplete: Bool) {
    (self.rows, self.next, self.isComplete) = (rows, next, isComplete)
  }
}

extension ChangePage: Equatable where Row: Equatable {}
