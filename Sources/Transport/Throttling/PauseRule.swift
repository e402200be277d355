import Measurement

/// Turns answers that were not good into pauses, as a value that a clock steps.
struct PauseRule: Sendable {
  enum Pause: Sendable, Equatable {
    /// The service asked for it: nothing is sent until then.
    case silence(until: MonotonicTime)
    /// Our own choice after an error of the service: only probes are sent until then.
    case backoff(until: MonotonicTime)

    var until: MonotonicTime {
      switch self {
      case .silence(let until), .backoff(let until): until
      }
    }
  }

  /// A back-off pause that goes on.
  private struct Backoff {
    var began: MonotonicTime
    var until: MonotonicTime
  }

  private let statuses: Set<Int>
  /// `nil` where errors of the service ask for no pause.
  private var errors: ExponentialDelay?
  /// Errors of the service without a good answer between them.
  private var errorsInARow = 0
  private(set) var refusals: ExponentialDelay
  /// Answers in a row that the receiver is unknown; what else was refused in between does not count.
  private(set) var unknownReceivers = 0
  /// The end of the pause that the service has asked for, or that an answer of "too much" began.
  private var askedUntil: MonotonicTime?
  /// The end of the pause that began because the receiver is unknown.
  private var goneUntil: MonotonicTime?
  private var backoff: Backoff?

  /// One such answer may be a provider's mistake. After so many in a row the receiver is believed to be gone, and no provider
  /// wants to be asked for it at full rate.
  static let unknownReceiversToPause = 10
  /// A single error of the service is no outage: services give a few at any time, and a pause after each would be most of what
  /// is measured of them.
  static let errorsToPause = 3

  init(unnamed: UnspecifiedRetryDelay, backoff: ErrorBackoff? = nil, seed: UInt64) {
    var seeds = SeededGenerator(seed: seed)
    statuses = unnamed.statuses
    refusals = ExponentialDelay(first: unnamed.first, longest: unnamed.longest, seed: seeds.next())
    errors = backoff.map { ExponentialDelay(first: $0.first, longest: $0.longest, seed: seeds.next()) }
  }

  /// The end of the last pause in which nothing is sent.
  var silentUntil: MonotonicTime? {
    guard let askedUntil, let goneUntil else { return askedUntil ?? goneUntil }
    return max(askedUntil, goneUntil)
  }

  /// A good answer.
  /// - Returns: whether it says that all is well: it does when its request left after the last answer that asked for a
  ///   pause, as a probe does. That ends a back-off pause.
  mutating func recordAccepted(sentAt: MonotonicTime) -> Bool {
    if backoff == nil { errorsInARow = 0 }
    if let silentUntil, sentAt < silentUntil { return false }
    if let backoff, sentAt < backoff.began { return false }
    refusals.reset()
    errors?.reset()
    errorsInARow = 0
    unknownReceivers = 0
    goneUntil = nil
    backoff = nil
    return true
  }

  /// Requests go to another receiver: the pauses because the former one was unknown are over.
  /// - Returns: the end of the pause that remains.
  mutating func replaceReceiver() -> MonotonicTime? {
    unknownReceivers = 0
    if goneUntil != nil { refusals.reset() }
    goneUntil = nil
    return askedUntil
  }

  /// An answer that was not good.
  /// - Parameters:
  ///   - named: how long its `Retry-After` asks for; `nil` when it names no time.
  ///   - guess: what the provider's documentation takes for such an answer, if anything.
  ///   - isReceiverUnknown: whether it says that there is nobody to send to.
  ///   - sentAt: when its request left: one that was under way when the pause began says nothing new, and neither does
  ///     a probe in a back-off pause that is answered with another error.
  /// - Returns: the pause that begins; `nil` when it asks for none, or for no more than is kept already.
  mutating func recordRejected(
    status: Int, named: Duration?, guess: Duration? = nil, isReceiverUnknown: Bool = false,
    sentAt: MonotonicTime, answeredAt: MonotonicTime
  ) -> Pause? {
    if isReceiverUnknown { unknownReceivers += 1 }
    let isGone = isReceiverUnknown && unknownReceivers >= Self.unknownReceiversToPause
    if let named {
      guard named > .zero else { return nil }
      return silence(\.askedUntil, until: answeredAt + named)
    }
    let isTooMuch = guess != nil || statuses.contains(status)
    if let until = isTooMuch ? askedUntil : silentUntil, sentAt < until { return nil }
    if isTooMuch || isGone {
      return silence(
        isTooMuch ? \.askedUntil : \.goneUntil,
        until: answeredAt + refusals.next(atLeast: guess ?? .zero))
    }
    guard ErrorBackoff.statuses.contains(status) else { return nil }
    errorsInARow += 1
    guard errorsInARow >= Self.errorsToPause else { return nil }
    if let backoff, sentAt < backoff.until { return nil }
    guard let length = errors?.next() else { return nil }
    backoff = Backoff(began: answeredAt, until: answeredAt + length)
    return .backoff(until: answeredAt + length)
  }

  private mutating func silence(
    _ cause: WritableKeyPath<Self, MonotonicTime?>, until instant: MonotonicTime
  ) -> Pause? {
    let former = silentUntil
    self[keyPath: cause] = max(self[keyPath: cause] ?? instant, instant)
    if let former, instant <= former { return nil }
    return .silence(until: instant)
  }
}

/// The length of one pause after the other: doubling from ``first`` up to ``longest``, each drawn between once and one and
/// a half times that, so that many collectors do not come back together.
public struct ExponentialDelay: Sendable {
  let first: Duration
  let longest: Duration
  /// Pauses in a row.
  private(set) var repeats = 0
  private var generator: SeededGenerator

  public init(first: Duration, longest: Duration, seed: UInt64) {
    self.first = first
    self.longest = longest
    generator = SeededGenerator(seed: seed)
  }

  /// The pauses between tries of what is refused.
  public static func afterRefusal(seed: UInt64) -> Self {
    Self(first: .seconds(10), longest: .minutes(15), seed: seed)
  }

  /// - Parameter least: what the first one is to be at the least.
  public mutating func next(atLeast least: Duration = .zero) -> Duration {
    let shortest = max(first, least).nanoseconds
    let doubled = shortest.multipliedReportingOverflow(by: 1 << Int64(min(repeats, 20)))
    let full = doubled.overflow ? longest.nanoseconds : min(longest.nanoseconds, doubled.partialValue)
    repeats += 1
    return .nanoseconds(full + Int64(Double(full) / 2 * generator.unit()))
  }

  /// All is well again: the next pause is the first one.
  public mutating func reset() { repeats = 0 }
}

/// How long to be silent after an answer that asks for it without naming a time: doubling with each such answer, drawn
/// anew each time, forgotten with the first good answer.
///
/// Answers to requests that were under way together count as one: a burst of refusals is one wish for silence.
public struct UnspecifiedRetryDelay: Sendable, Hashable {
  /// Statuses that ask for silence.
  public var statuses: Set<Int>
  /// The shortest pause; the first one lies between this and half more.
  public var first: Duration
  public var longest: Duration

  /// 429 (RFC 6585, section 4). No service wants to be asked again within ten seconds.
  public static let afterTooMany = UnspecifiedRetryDelay(
    statuses: [429], first: .seconds(10), longest: .seconds(900))
}

/// How to go on with a service that is in trouble: after ``PauseRule/errorsToPause`` times 500, 502 or 503 without `Retry-After`.
///
/// Nobody asked for silence, and an outage is when data is wanted most. So the pause is ours, and in it one notification
/// each ``probeEvery`` is sent all the same; the first that is answered well ends it.
public struct ErrorBackoff: Sendable, Hashable {
  static let statuses: Set<Int> = [500, 502, 503]

  /// The first pause lies between this and half more; each further one is twice as long.
  public var first: Duration
  public var longest: Duration
  /// `nil` for none: nothing is sent in the pause.
  public var probeEvery: Duration?

  public init(
    first: Duration = .seconds(10), longest: Duration = .minutes(15), probeEvery: Duration? = .seconds(10)
  ) {
    self.first = first
    self.longest = longest
    self.probeEvery = probeEvery
  }
}
