import Measurement

/// What devices ask the registry for, and what they are answered.
extension DeviceRegistry {
  /// What a device is told of itself.
  struct Status: Sendable, Equatable {
    var name: String
    var state: DeviceState
    /// Whether its push service may be sent to.
    var isServed = true
  }

  /// What a device that joins is given.
  struct Admission: Sendable {
    var name: String
    /// 32 random bytes in hexadecimal; only its hash is kept.
    var key: String
  }

  /// What a device that has joined asks for.
  enum Update: Sendable {
    case subscription(JoinedDevice.Subscription)
    case pause(Bool)
    case leave
  }

  /// Why a device is not served.
  struct Refusal: Error, Sendable, Equatable {
    /// HTTP status (RFC 9110, section 15).
    var status: Int
    var message: String
    var retryAfter: Duration?
  }

  static let notInvited = Refusal(
    status: 401, message: "the invitation is wrong, used or expired; ask for another one")
  static let unknownDevice = Refusal(
    status: 401, message: "the collector does not know this device any more; ask for an invitation")
  static let notServed = Refusal(
    status: 403,
    message: "this browser's push service is not one that the collector may send to (devices.services)")
  static let nameTaken = Refusal(
    status: 403, message: "another target has got this name meanwhile; ask for another invitation")
  static let tooManyJoins = Refusal(
    status: 429, message: "\(mostJoinsPerHour) devices have joined within an hour; try again later",
    retryAfter: .seconds(600))
  static let tooManyChanges = Refusal(
    status: 429, message: "too many changes within an hour", retryAfter: .seconds(600))
  static let limitedRun = Refusal(
    status: 503, message: "the collector records a run of limited length, which no device can join")
  static let unavailable = Refusal(
    status: 503, message: "the collector cannot do it now; its log says why", retryAfter: .seconds(60))
}

/// How often something happened within the last hour.
struct HourlyCount: Sendable {
  private var instants: [MonotonicTime] = []

  mutating func record(at now: MonotonicTime) { instants.append(now) }

  mutating func value(at now: MonotonicTime) -> Int {
    instants.removeAll { now - $0 >= .seconds(3600) }
    return instants.count
  }
}

/// Subscriptions that a push service says it does not know. It loses a node now and then, so one is gone if it is still refused some
/// time after the first time.
struct UnknownSubscriptions: Sendable {
  private static let confirmationPeriod = Duration.seconds(60)

  /// When a subscription was refused first, by the hash of its device's key.
  private var refusedAt: [String: MonotonicTime] = [:]

  /// Records the status of an answer.
  /// - Returns: whether the subscription is gone.
  mutating func record(status: Int, keyHash: String, at now: MonotonicTime) -> Bool {
    guard status == 404 || status == 410 else {
      if (200..<300).contains(status) { forget(keyHash) }
      return false
    }
    guard let first = refusedAt[keyHash] else {
      refusedAt[keyHash] = now
      return false
    }
    return now - first >= Self.confirmationPeriod
  }

  /// The device has another subscription, or is no more.
  mutating func forget(_ keyHash: String) { refusedAt[keyHash] = nil }
}
