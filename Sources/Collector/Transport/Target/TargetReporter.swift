import Measurement

/// Tells events and log lines of one target.
struct TargetReporter {
  let target: TargetID
  unowned let loop: TimingLoop

  func emit(_ kind: EventKind, connection: Int64? = nil, at now: MonotonicTime, detail: String) {
    loop.observe(
      .event(
        Event(at: loop.offset.wall(now), kind: kind, target: target, connectionID: connection, detail: detail)
      )
    )
  }

  func tell(_ feedback: CredentialFeedback) { loop.tell(feedback) }

  func log(_ level: LogLine.Level, _ message: String) {
    loop.observe(
      .log(
        LogLine(
          at: loop.offset.wall(loop.now()), level: level, target: target, label: "transport",
          message: message)))
  }
}
