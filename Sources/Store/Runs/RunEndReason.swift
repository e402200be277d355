/// Why a run ended: the `end_reason` of the `runs` table.
public enum RunEndReason: String, Sendable, Hashable, CaseIterable {
  /// The count or duration that was asked for is reached.
  case completed
  /// Somebody asked for it: a signal, a command.
  case stopped
  /// The collector could not go on, and said so.
  case failed
  /// The collector died; noticed at the next start.
  case interrupted
}
