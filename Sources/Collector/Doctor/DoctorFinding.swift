/// What one check of `pushscope doctor` came to: a line.
public struct DoctorFinding: Sendable, Hashable, CustomStringConvertible {
  public enum Level: Sendable, Hashable {
    case fine
    /// Worth knowing, and no reason to stop.
    case note
    /// Something on this machine has to be put right.
    case misconfigured
    /// The other side cannot be reached, or does not take what it is sent.
    case unreachable
  }

  public var level: Level
  /// The target's name, or the part of the program.
  public var subject: String
  /// What was looked at: `key`, `dns`, `tls` and so on.
  public var step: String
  /// What was found. It may quote the other side: make it visible before it goes to a terminal.
  public var message: String
  /// What to do; empty when there is nothing.
  public var remedy: String

  public init(
    _ level: Level, _ subject: String, _ step: String, _ message: String, remedy: String = ""
  ) {
    self.level = level
    self.subject = subject
    self.step = step
    self.message = message
    self.remedy = remedy
  }

  /// `fail  ios  tls  what was found; what to do`
  public var description: String {
    let word =
      switch level {
      case .fine: "ok  "
      case .note: "note"
      case .misconfigured, .unreachable: "fail"
      }
    return "\(word)  \(subject)  \(step)  \(message)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}
