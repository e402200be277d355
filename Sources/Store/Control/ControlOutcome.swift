/// What came of a command.
public enum ControlOutcome: Sendable, Hashable {
  /// The collector has not come to it, or is at it.
  case waiting
  case done
  /// Why not: a sentence for people.
  case refused(String)
}
