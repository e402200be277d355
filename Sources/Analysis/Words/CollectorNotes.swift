import Measurement
public import Store

/// What a collector says of itself beside its targets, in the words of dashboard and status.
public enum CollectorNotes {
  /// `2 alerts not delivered`.
  public static func undelivered(_ alerts: Int) -> String {
    "\(CountText.text(alerts, "alert")) not delivered"
  }

  /// `the search for changes failed and is switched off (SIGILL at ios)`.
  public static func text(_ failed: FailedPart) -> String { text(failed, "is switched off") }

  private static func text(_ failed: FailedPart, _ state: String) -> String {
    guard let part = failed.part else {
      let parts = CollectorPart.allCases.map(\.words).joined(separator: ", ")
      return "the analyst (\(parts)) failed again and again (\(failed.reason))"
    }
    let waiting = part == .forward ? "; rows wait" : ""
    return
      "\(part.words) failed and \(state) (\(failed.reason) at \(EscapedText.make(failed.unit)))\(waiting)"
  }

  /// ``text(_:)-(FailedPart)`` with how long ago it began, and when the process counts as mended.
  public static func sentence(_ failed: FailedPart, _ clock: SentenceClock, at now: WallTime) -> String {
    let age = LengthText.text(max(.zero, now - failed.since))
    guard failed.part == nil else { return text(failed, "has been switched off for \(age)") }
    return
      "\(text(failed)) in the last \(age); it counts as mended at \(clock.moment(failed.retryAt)) if it runs until then"
  }

  /// What to do about it.
  public static func remedy(_ failed: FailedPart) -> String {
    let again =
      failed.part == nil
      ? "it is started again each time"
      : "it is tried again at \(failed.retryAt.rfc3339), at a reload and at a start"
    let cause =
      failed.reason == FailedPart.killed
      ? "Something on this host killed it: the kernel where memory is short (see journalctl -k), or somebody by hand"
      : "Please report it, with what the collector's log says of it"
    return "\(again); sending and recording go on. \(cause)"
  }

  /// `120 rows`, `100,000+ rows`, with another word after each number.
  private static func count(_ rows: Int, _ one: String, _ many: String) -> String {
    rows < ForwardPause.most
      ? CountText.text(rows, one, plural: many) : "\(CountText.grouped(rows))+ \(many)"
  }

  /// `120 rows not forwarded`.
  public static func unforwarded(_ rows: Int) -> String { "\(count(rows, "row", "rows")) not forwarded" }

  /// `nothing has reached the fleet since 07:40 UTC: 120 rows wait`; `nil` while rows are forwarded.
  public static func text(_ pause: ForwardPause, _ clock: SentenceClock, at now: WallTime) -> String? {
    guard now - pause.since >= forwardTimeout else { return nil }
    return
      "nothing has reached the fleet since \(clock.moment(pause.since)): \(count(pause.rows, "row waits", "rows wait"))"
  }

  /// Rows are forwarded within seconds. Longer ago nothing was, or there was nothing to forward.
  private static let forwardTimeout = Duration.minutes(5)

  /// A process that has the store and does not even write that it is there.
  static func stuck(_ process: Int32) -> String {
    "the collector (process \(process)) has the store and writes nothing: it is stopped, or its disk does not answer"
  }

  /// The store's disk has no room for the next commits.
  public static let diskFull = "the store's disk is full: nothing can be recorded, so that nothing is sent"

  /// `retention waits for process 4711`.
  public static func text(_ wait: RetentionWait) -> String {
    switch wait.reason {
    case .log(let holder?): "retention waits for process \(holder)"
    case .log(nil): "retention waits for a reader"
    case .clock: "retention holds back: clock ahead"
    }
  }
}
