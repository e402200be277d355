import Measurement

/// A line that people are asked to type.
struct Prompt: Sendable, Equatable {
  /// What becomes of it.
  enum Purpose: Sendable, Equatable {
    case goTo
    case rename(RunID)
    /// The name of a run that is about to begin.
    case startRun
    /// Of the log and the events.
    case filter
  }

  let purpose: Purpose
  let title: String
  /// What may be written.
  let hint: String
  var field = TextField()
  /// What is wrong with what was entered last.
  var problem: String?

  init(_ purpose: Purpose, title: String, hint: String, text: String = "") {
    self.purpose = purpose
    self.title = title
    self.hint = hint
    field = TextField(text)
  }
}
