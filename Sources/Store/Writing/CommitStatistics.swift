/// What a commit cost: the recorder's share of the tool's own error.
public struct CommitStatistics: Sendable, Equatable {
  /// From taking up the batch to the end of the transaction, checkpoint included when one was due.
  public var duration: Duration
  public var rows: Int
  /// The store's revision after it.
  public var revision: Int64

  public init(duration: Duration, rows: Int, revision: Int64) {
    self.duration = duration
    self.rows = rows
    self.revision = revision
  }
}
