public import Measurement

/// What became of one notification and where its time went, in words: `fcm took 2.10 s to answer`, `arrived 40.0 s after it was
/// accepted`. Lists of the slowest ones and the opened notification of the dashboard say the same.
public struct NotificationSentence: Sendable {
  private let sample: Sample
  private let provider: String
  private let receiptDeadline: Duration?
  private let context: DeviceContext?

  /// - Parameters:
  ///   - provider: its kind (`fcm`); empty where it is not known.
  ///   - receiptDeadline: from the planned instant; `nil` when no receipt is expected.
  ///   - context: what the device reported of its circumstances.
  public init(
    _ sample: Sample, provider: String, receiptDeadline: Duration?, context: DeviceContext? = nil
  ) {
    self.context = context
    self.sample = sample
    self.provider = provider.isEmpty ? "the provider" : provider
    self.receiptDeadline = receiptDeadline
  }

  /// All of it: what took the longest, or why it did not arrive, and what belongs to that.
  ///
  /// - Parameter metric: whose parts are told of; `nil`: of all that is known of it.
  public func text(of metric: Metric? = nil) -> String {
    [
      main(metric), isLate(metric) ? "later than its deadline of \(deadlineText)" : nil,
      isSlowAtTheDevice(metric) ? circumstances : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }

  /// Whether most of its time passed after it was accepted, which is when a device's circumstances matter.
  private func isSlowAtTheDevice(_ metric: Metric?) -> Bool {
    guard metric?.isByDevice ?? true,
      let longest = NotificationLegs(sample, of: metric).parts.max(by: { $0.length < $1.length })
    else { return false }
    return longest.leg != .lag && longest.leg != .service
  }

  /// `while the device dozed, over cellular`: what slows notifications down; `nil` where the device reported none of it.
  private var circumstances: String? {
    guard let context else { return nil }
    let slow: [(DeviceContextKey, Set<String>)] = [
      (.idle, ["true"]), (.saver, ["true"]), (.network, ["cellular", "none"]), (.priority, ["normal"]),
      (.bucket, ["rare", "restricted"]), (.app, ["stopped"]),
    ]
    let words = slow.compactMap { key, words in
      context[key].flatMap { word in
        words.contains(word) ? Circumstance(key: key, word: word, affected: 1, others: 0).words : nil
      }
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The connection that carried it: `#3, open for 12 min, 4 in flight`; `nil` where it was not sent.
  public var connection: String? {
    guard let use = sample.connection else { return nil }
    var words = "#\(use.id), "
    if use.isFresh, let phases = use.phases {
      words += "opened for it: name \(text(phases.dns)), connect \(text(phases.connect))"
      if let tls = phases.tls { words += ", TLS \(text(tls))" }
    } else {
      words += use.isFresh ? "opened for it" : "open for \(LengthText.text(.milliseconds(use.age)))"
    }
    return words + ", \(use.streamsInFlight) in flight"
  }

  // MARK: - What took the longest

  private func main(_ metric: Metric?) -> String {
    switch sample.state {
    case .planned: return "not sent yet"
    case .inFlight:
      guard let accepted = sample.acceptLatency else { return "\(provider) has not answered yet" }
      return "accepted after \(text(accepted)), its receipt is awaited"
    case .delivered, .late, .accepted, .lost, .rejected, .failed, .interrupted, .missed:
      let isMeasured = metric.map { sample.value(of: $0) != nil } ?? (sample.deliveryLatency != nil)
      if !isMeasured, let ending { return ending }
      return NotificationLegs(sample, of: metric).parts.max { $0.length < $1.length }.map(words)
        ?? "nothing is known of it"
    }
  }

  private func words(_ part: NotificationLegs.Part) -> String {
    let length = text(part.length)
    switch part.leg {
    case .lag: return waiting(part.length)
    case .service: return "\(provider) took \(length) to answer" + roundTrip(part.length)
    case .display: return "was shown \(length) after it arrived"
    case .transit: return "arrived \(bounded(part)) after it was accepted"
    case .sentToReceived:
      return "arrived \(bounded(part)) after it was sent, "
        + (sample.acceptLatency == nil
          ? "and no answer says that it was accepted" : "before \(provider) answered")
    }
  }

  /// Why it left so late.
  private func waiting(_ lag: Duration) -> String {
    let length = text(lag)
    if sample.attempt > 1 { return "left \(length) late: its first connection ended before it was processed" }
    guard let use = sample.connection else { return "left \(length) late: this host" }
    if use.isFresh {
      // The rest of the lag was waited for something else.
      guard let phases = use.phases else { return "waited \(length) for a new connection" }
      let setUp = phases.dns + phases.connect + (phases.tls ?? 0)
      if setUp * 2 >= lag.microseconds { return "waited \(text(setUp)) for a new connection" }
    }
    guard use.streamsInFlight >= Self.usualStreams else { return "left \(length) late: this host" }
    return
      "left \(length) late: this host, or its connection had no place for it (\(use.streamsInFlight) in flight)"
  }

  /// Servers should take at least so many requests at once (RFC 9113, section 6.5.2): with fewer in flight, none waits for a place.
  private static let usualStreams = 100

  /// `, of which a round trip takes 1.90 s`, where it takes half of the service time.
  private func roundTrip(_ service: Duration) -> String {
    guard let path = sample.path, path * 2 >= service.microseconds, path <= service.microseconds else {
      return ""
    }
    return ", of which a round trip takes \(text(path))"
  }

  private func bounded(_ part: NotificationLegs.Part) -> String {
    let length = text(part.length)
    guard let range = part.range else { return length }
    if part.isUpperLimit { return "at most \(text(range.upperBound))" }
    return
      "\(length) (\(LatencyText.interval(range.lowerBound.microseconds, range.upperBound.microseconds)))"
  }

  private func isLate(_ metric: Metric?) -> Bool {
    sample.state == .late && metric?.isByDevice ?? true
  }

  private var deadlineText: String { text(receiptDeadline ?? .zero) }

  private func text(_ microseconds: Int64) -> String { LatencyText.text(microseconds) }
  private func text(_ length: Duration) -> String { text(length.microseconds) }

  // MARK: - Why there is no latency

  /// What is told of one without the latency that is asked for; `nil` where its parts say it.
  private var ending: String? {
    switch sample.state {
    case .planned, .inFlight, .delivered, .late, .accepted: nil
    case .lost:
      "\(provider) accepted it\(after(sample.acceptLatency)), and it did not arrive"
        + (receiptDeadline == nil ? "" : " within \(deadlineText)")
    case .rejected: "\(provider) answered \(answer)\(after(sample.serviceTime))"
    case .failed: "failed: \(failure)"
    case .missed: "not sent: \(omission)"
    case .interrupted: "the collector ended before its end was known"
    }
  }

  private func after(_ length: Int64?) -> String { length.map { " after \(text($0))" } ?? "" }

  /// `503 (Unavailable)`.
  private var answer: String {
    let reason = sample.reason.flatMap { $0.isEmpty ? nil : $0 }
    guard let status = sample.status else { return reason ?? "an error" }
    return "\(status)\(reason.map { " (\($0))" } ?? "")"
  }

  private var failure: String {
    switch sample.reason.flatMap(FailureReason.init(rawValue:)) {
    case .dns: "the name of \(provider)’s host did not resolve"
    case .connect: "no connection to \(provider) could be opened"
    case .tls: "TLS with \(provider) failed"
    case .timeout: "\(provider) did not answer in time"
    case .reset: "the connection was reset"
    case .goaway: "\(provider) ended the connection"
    case .refusedStream: "\(provider) refused to take it"
    case .protocol: "\(provider) broke the protocol"
    case .closed: "the connection was closed"
    case nil: sample.reason ?? "the reason is not known"
    }
  }

  private var omission: String {
    switch sample.reason.flatMap(MissedReason.init(rawValue:)) {
    case .lag: "this host was too late for it"
    case .inFlight: "too many were unanswered"
    case .retryAfter: "\(provider) had asked for a pause"
    case .stopping: "the collector was stopping"
    case .providerLimit: "it would have exceeded what \(provider) allows"
    case .credential: "\(provider) had refused the credential"
    case .backoff: "paused after errors of \(provider)"
    case nil: sample.reason ?? "the reason is not known"
    }
  }
}

/// The parts of a notification's way, as far as they are known.
public struct NotificationLegs: Sendable, Equatable {
  /// A part and how long it took.
  public struct Part: Sendable, Equatable {
    public let leg: Leg
    public let length: Duration
    /// The range of its true length; `nil` where it is exact.
    public let range: ClosedRange<Duration>?

    /// Whether nothing but the upper end of the range is known.
    public var isUpperLimit: Bool { range.map { $0.lowerBound <= .zero } ?? false }
  }

  /// The parts, in the order of the way.
  public let parts: [Part]

  /// - Parameter metric: whose parts are wanted; `nil`: all that is known of it. A receipt that came before the provider's answer
  ///   leaves no service and transit: then the parts of a delivery are lag and sent to received.
  public init(_ sample: Sample, of metric: Metric? = nil) {
    var parts: [Part] = []
    func add(_ leg: Leg, _ microseconds: Int64?, _ range: DeliveryRange? = nil, since start: Int64 = 0) {
      guard let microseconds else { return }
      parts.append(
        Part(
          leg: leg, length: .microseconds(microseconds),
          range: range.map {
            let low = $0.low.subtractingClamped(start)
            return .microseconds(low)...(.microseconds(max(low, $0.high.subtractingClamped(start))))
          }))
    }
    let delivery = metric?.isByDevice ?? true ? sample.deliveryLatency : nil
    let range = sample.deliveryCertainty == .exact ? nil : sample.deliveryRange
    if metric != .service, metric != .path { add(.lag, sample.scheduleLag) }
    if let delivery, let sent = sample.scheduleLag, sample.acceptLatency.map({ $0 > delivery }) ?? true {
      add(.sentToReceived, delivery.subtractingClamped(sent), range, since: sent)
    } else if metric != .path {
      add(.service, sample.serviceTime)
      if let delivery, let accepted = sample.acceptLatency {
        add(.transit, delivery.subtractingClamped(accepted), range, since: accepted)
      }
    }
    if metric == nil || metric == .shown { add(.display, sample.displayTime) }
    self.parts = parts
  }
}
