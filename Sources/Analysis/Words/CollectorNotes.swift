import Measurement
public import Store

/// What a collector says of itself beside its targets, in the words of dashboard and status.
public enum CollectorNotes {
  /// `2 alerts not delivered`.
  public static func undelivered(_ alerts: Int) -> String {
    "\(CountText.text(alerts, "alert")) not delivered"
  }

  /// `the search for changes failed and is switched off (SIGILL at ios)`.
  public static func text(_ failed: FailedPart) -> String {
    guard let part = failed.part else {
      return "the analyst (search for changes, alerts, forwarding) fails again and again (\(failed.reason))"
    }
    let waiting = part == .forward ? ", rows wait" : ""
    return
      "\(part.words) failed and is switched off (\(failed.reason) at \(EscapedText.make(failed.unit)))\(waiting)"
  }

  /// `retention waits for process 4711`.
  public static func text(_ wait: RetentionWait) -> String {
    switch wait.reason {
    case .log(let holder?): "retention waits for process \(holder)"
    case .log(nil): "retention waits for a reader"
    case .clock: "retention holds back: clock ahead"
    }
  }
}
