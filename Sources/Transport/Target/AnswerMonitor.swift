import Measurement

/// Notices that nothing which comes due is answered well, as a value that a clock steps: a run in which every notification
/// ends badly keeps its schedule, and would look healthy.
struct AnswerMonitor: Sendable {
  /// How long notifications may come due without a good answer.
  static let limit = Duration.seconds(60)

  /// What came instead of good answers.
  struct Silence: Sendable, Equatable {
    struct Answer: Sendable, Equatable {
      var status: Int
      var reason: String?
    }

    var length: Duration
    var due: Int64
    var rejected = 0
    var failed = 0
    var missed = 0
    /// `nil` when there was none.
    var lastAnswer: Answer?
    /// The word of the last failure or miss after that answer.
    var lastReason: String?

    var words: String {
      let last =
        lastReason
        ?? lastAnswer.map { answer in answer.reason.map { "\(answer.status) \($0)" } ?? "\(answer.status)" }
      return
        "no good answer for \(LengthText.text(length)): of \(due) due \(rejected) rejected, \(failed) failed, "
        + "\(missed) missed" + (last.map { " (the last: \($0))" } ?? "")
    }
  }

  private var due: Int64 = 0
  private var dueAtLastGood: Int64 = 0
  /// When the first notification came due that a good answer did not follow.
  private var began: MonotonicTime?
  private var hadGood = false
  private var isTold = false
  private var silence = Silence(length: .zero, due: 0)

  /// - Parameter count: how many notifications have come due so far.
  mutating func record(due count: Int64, at now: MonotonicTime) {
    guard count > due else { return }
    due = count
    if began == nil { began = now }
  }

  /// How a notification ended.
  /// - Returns: the length of a silence that ends by it, if it was told.
  mutating func record(_ observation: Observation, at now: MonotonicTime) -> Duration? {
    switch observation {
    case .answered(let answer) where answer.isAccepted:
      let told = isTold ? began.map { now - $0 } : nil
      began = nil
      hadGood = true
      isTold = false
      dueAtLastGood = due
      silence = Silence(length: .zero, due: 0)
      return told
    case .answered(let answer):
      silence.rejected += 1
      silence.lastAnswer = Silence.Answer(status: answer.status, reason: answer.reason)
      silence.lastReason = nil
    case .failed(_, let reason, _, _, _):
      silence.failed += 1
      silence.lastReason = reason.rawValue
    case .missed(_, let reason, _):
      silence.missed += 1
      // What follows from an answer says less than the answer.
      if silence.lastAnswer == nil { silence.lastReason = reason.rawValue }
    case .planned, .withdrawn, .sent, .pinged, .event, .log: break
    }
    return nil
  }

  /// - Returns: the silence that has lasted for ``limit``, once.
  mutating func consumeOverdue(at now: MonotonicTime) -> Silence? {
    guard !isTold, let began, now - began >= Self.limit else { return nil }
    isTold = true
    return current(since: began, at: now)
  }

  /// The end of the run.
  /// - Returns: the whole run's silence, if there was no good answer in it and nobody was told.
  mutating func finish(at now: MonotonicTime) -> Silence? {
    guard !isTold, !hadGood, let began else { return nil }
    isTold = true
    return current(since: began, at: now)
  }

  private func current(since began: MonotonicTime, at now: MonotonicTime) -> Silence {
    var silence = silence
    silence.length = now - began
    silence.due = due - dueAtLastGood
    return silence
  }
}
