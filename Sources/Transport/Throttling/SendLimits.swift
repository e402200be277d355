import Configuration
import DequeModule
import Measurement

/// How many notifications a provider's documentation allows one sender, and how that is counted.
public struct SendLimit: Sendable, Hashable, CustomStringConvertible {
  /// How it is counted.
  public enum Shape: Sendable, Hashable {
    /// A window: `count` notifications at most in any stretch of `period`.
    case window(count: Int, period: Duration)
    /// `capacity` at once, and one more each `interval` (a token bucket).
    case bucket(capacity: Int, interval: Duration)
  }

  public var shape: Shape
  /// What the limit is of and who says so: "FCM allows a device 240 messages a minute".
  public var description: String

  public init(_ shape: Shape, _ description: String) {
    self.shape = shape
    self.description = description
  }

  /// The rate that can be kept up for ever, per second.
  public var sustainedPerSecond: Double {
    switch shape {
    case .window(let count, let period): Double(count) * 1e9 / Double(period.nanoseconds)
    case .bucket(_, let interval): 1e9 / Double(interval.nanoseconds)
    }
  }

  /// Whether a schedule asks for more than that. Rates are rounded to nanoseconds of the interval; one part in a
  /// million is no difference.
  public func isExceeded(by rate: ArrivalRate) -> Bool {
    rate.perSecond > sustainedPerSecond * 1.000_001
  }
}

/// Counts what is sent against one ``SendLimit``, as a value that a clock steps.
struct SendLimiter: Sendable {
  let limit: SendLimit
  /// A window's sends that still count, ascending.
  private var sent = Deque<MonotonicTime>()
  /// How far a bucket has come ahead of its steady rate (GCRA's theoretical arrival time).
  private var ahead: MonotonicTime?

  init(_ limit: SendLimit) { self.limit = limit }

  func permits(at now: MonotonicTime) -> Bool {
    switch limit.shape {
    case .window(let count, let period):
      return sent.count < count || now - sent[sent.count - max(1, count)] >= period
    case .bucket(let capacity, let interval):
      guard let ahead else { return true }
      return ahead - now <= interval * (max(1, capacity) - 1)
    }
  }

  mutating func recordSent(at now: MonotonicTime) {
    switch limit.shape {
    case .window(_, let period):
      while let first = sent.first, now - first >= period { sent.removeFirst() }
      sent.append(now)
    case .bucket(_, let interval): ahead = max(ahead ?? now, now) + interval
    }
  }

  /// The last one was not sent after all.
  mutating func undoSend() {
    switch limit.shape {
    case .window: _ = sent.popLast()
    case .bucket(_, let interval): ahead = ahead.map { $0 - interval }
    }
  }
}

/// What the public push services' own documentation allows one sender (docs/sending.md names the pages). A server of
/// one's own has its own limits, says them with 429, and is obeyed then.
public enum DocumentedLimits {
  private static let apple: Set<String> = [
    "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
  ]

  /// Apple: no more than two or three background notifications an hour, or the system throttles them.
  /// - Parameter share: how much of the schedule is background, from 0 to 1.
  public static func apns(host: String, backgroundShare share: Double) -> [SendLimit] {
    guard apple.contains(host), share > 0 else { return [] }
    return [
      SendLimit(
        .window(count: Int((3 / share).rounded(.down)), period: .seconds(3600)),
        "Apple asks for no more than 3 background notifications an hour")
    ]
  }

  /// Google: 600 000 requests a minute and project; 240 messages a minute and 5 000 an hour to one Android device.
  public static func fcm(host: String, validateOnly: Bool) -> [SendLimit] {
    guard host == "fcm.googleapis.com" else { return [] }
    let project = SendLimit(
      .window(count: 600_000, period: .seconds(60)), "FCM allows a project 600000 messages a minute")
    if validateOnly { return [project] }
    return [
      SendLimit(.window(count: 240, period: .seconds(60)), "FCM allows a device 240 messages a minute"),
      SendLimit(.window(count: 5000, period: .seconds(3600)), "FCM allows a device 5000 messages an hour"),
      project,
    ]
  }

  /// A push service on another host, of which the collector is a user agent: it is meant for browsers, and documents no limit, so the
  /// collector sets its own.
  public static func webPush(service: Endpoint) -> [SendLimit] {
    guard !ListenAddress(host: service.host, port: service.port).isLoopback else { return [] }
    return [
      SendLimit(
        .bucket(capacity: 4, interval: .seconds(15)),
        "a push service that is meant for browsers is asked for no more than one notification each 15 s")
    ]
  }

  /// ntfy.sh: 60 requests at once and one more each 5 s; 250 messages a day.
  public static func ntfy(host: String) -> [SendLimit] {
    guard host == "ntfy.sh" else { return [] }
    return [
      SendLimit(
        .bucket(capacity: 60, interval: .seconds(5)), "ntfy.sh allows a visitor one request each 5 s"),
      SendLimit(
        .window(count: 250, period: .seconds(86_400)), "ntfy.sh allows a visitor 250 messages a day"),
    ]
  }
}
