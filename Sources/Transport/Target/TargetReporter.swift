import Measurement

/// Tells what one target sees: observations, events and log lines; and warns when nothing that comes due is answered well.
final class TargetReporter {
  private let target: TransportTarget
  private unowned(unsafe) let loop: TimingLoop
  private var monitor = AnswerMonitor()

  init(target: TransportTarget, loop: TimingLoop) {
    self.target = target
    self.loop = loop
  }

  func observe(_ observation: Observation) { loop.observe(observation) }

  func emit(_ kind: EventKind, connection: Int64? = nil, at now: MonotonicTime, detail: String) {
    loop.observe(
      .event(
        Event(
          at: loop.offset.wall(now), kind: kind, target: target.id, connectionID: connection, detail: detail))
    )
  }

  func report(_ feedback: CredentialFeedback) { loop.report(feedback) }

  func log(_ level: LogLine.Level, _ message: String) {
    loop.observe(
      .log(
        LogLine(
          at: loop.offset.wall(loop.now()), level: level, target: target.id, label: "transport",
          message: message)))
  }

  // MARK: Good answers

  /// Records that `count` notifications have come due.
  func record(due count: Int64, at now: MonotonicTime) { monitor.record(due: count, at: now) }

  /// Tells how a notification ended.
  func observeEnd(_ end: Observation, at now: MonotonicTime) {
    if let length = monitor.record(end, at: now) {
      log(.notice, "good answers again, after \(LengthText.text(length)) without")
    }
    loop.observe(end)
  }

  func checkSilence(_ now: MonotonicTime) {
    if let silence = monitor.consumeOverdue(at: now) { warn(of: silence) }
  }

  /// Everything is sent and answered, or given up: the last chance to say that nothing was answered well.
  func reportEnd() {
    if let silence = monitor.finish(at: loop.now()) { warn(of: silence) }
  }

  private func warn(of silence: AnswerMonitor.Silence) {
    let advice = silence.lastAnswer.map { target.advice($0.status, $0.reason ?? "") } ?? ""
    log(.warning, silence.words + (advice.isEmpty ? "" : "; \(advice)"))
  }
}
