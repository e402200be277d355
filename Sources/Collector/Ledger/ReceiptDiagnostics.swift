import Measurement
import Store

/// Notices targets whose notifications are accepted and never reported, which looks like loss and rarely is: says what the
/// receipt listener has seen instead. Also tells of failed handshakes there.
struct ReceiptDiagnostics: Sendable {
  /// The shortest time between two lines about handshakes that failed for the same reason.
  static let handshakeInterval = Duration.seconds(24 * 3600)

  /// Something for the log.
  struct Note: Sendable, Equatable {
    var level: LogLine.Level
    var message: String

    func line(of target: TargetID?, at time: WallTime) -> LogLine {
      LogLine(at: time, level: level, target: target, label: "receipts", message: message)
    }
  }

  private struct Target {
    var lost = 0
    var isHeard = false
    /// Whether a receipt was posted, not heard by a subscription of the collector's own.
    var isPosted = false
    var isTold = false
  }

  private var targets: [TargetID: Target] = [:]
  private var evidence = ReceiptEvidence()
  private var toldHandshakes: [HandshakeFailure: MonotonicTime] = [:]

  /// A notification was accepted, and its receipt deadline has passed.
  /// - Parameter isSubscribed: the collector subscribes to the target's messages itself.
  mutating func recordLost(_ id: TargetID, isSubscribed: Bool) -> Note? {
    var target = targets[id, default: Target()]
    defer { targets[id] = target }
    guard !target.isHeard, !target.isTold else { return nil }
    target.lost += 1
    guard target.lost >= StateCounts.silence else { return nil }
    target.isTold = true
    var evidence = evidence
    evidence.hearsOthers = targets.values.contains(where: \.isPosted)
    return Note(
      level: .warning, message: evidence.sentence(accepted: target.lost, isSubscribed: isSubscribed))
  }

  /// A receipt of a target arrived.
  /// - Parameter isSubscribed: the collector subscribes to the target's messages itself, so that the listener may not be reached.
  mutating func recordReceipt(_ id: TargetID, isSubscribed: Bool) -> Note? {
    guard targets[id]?.isHeard != true else { return nil }
    targets[id, default: Target()].isPosted = !isSubscribed
    let wasTold = targets[id]?.isTold ?? false
    targets[id, default: Target()].isHeard = true
    return wasTold ? Note(level: .notice, message: "its first receipt has arrived") : nil
  }

  /// The listener rejected receipts.
  mutating func recordRefused(_ kind: EventKind, count: Int) {
    switch kind {
    case .forgedReceipt: evidence.forged += count
    case .malformedReceipt: evidence.malformed += count
    default: break
    }
  }

  /// Handshakes with the listener failed.
  /// - Parameter network: of the last of their clients.
  mutating func recordHandshakes(
    _ failure: HandshakeFailure, count: Int, from network: String, at now: MonotonicTime
  ) -> Note? {
    evidence.add(failure, count: count, network: network)
    if let last = toldHandshakes[failure], now - last < Self.handshakeInterval { return nil }
    toldHandshakes[failure] = now
    return Note(
      level: failure.isAboutCertificate ? .warning : .info,
      message: "a TLS handshake with the receipt listener failed (\(failure.rawValue), from \(network)): "
        + failure.explanation)
  }
}

/// What is known of the receipt listener when a target's receipts do not come.
struct ReceiptEvidence: Sendable, Equatable {
  /// Failed handshakes by reason.
  private(set) var handshakes: [HandshakeFailure: Int] = [:]
  /// Where the last of them came from.
  private(set) var network = ""
  /// Receipts with a wrong MAC.
  var forged = 0
  /// Requests that could not be read.
  var malformed = 0
  /// Receipts of other targets arrive at the listener.
  var hearsOthers = false

  mutating func add(_ failure: HandshakeFailure, count: Int, network: String) {
    handshakes[failure, default: 0] += count
    self.network = network
  }

  /// Adds what an event of failed handshakes counted.
  mutating func add(_ event: Event) {
    guard let detail = HandshakeDetail(event.detail) else { return }
    add(detail.failure, count: event.count, network: detail.network)
  }

  /// The most frequent reason of failed handshakes.
  var mostFrequent: HandshakeFailure? {
    handshakes.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }

  /// Failed handshakes, as `unknown_ca 12, closed 3`; `nil` without any.
  var handshakeCounts: String? {
    let sorted = handshakes.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    return sorted.isEmpty ? nil : sorted.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
  }

  /// That none of the first notifications got a receipt, and why that is likely.
  /// - Parameter isSubscribed: the collector subscribes to the target's messages itself.
  func sentence(accepted: Int, isSubscribed: Bool) -> String {
    "none of the first \(accepted) notifications that the provider accepted got a receipt; "
      + (isSubscribed
        ? "the collector's own subscription gets none of them: the log says whether it is open; with ntfy, see that the topic is the "
          + "same and that the user may read it"
        : "likely: \(likelyCauses)")
  }

  /// The likely causes where a device is to post receipts, the likeliest first.
  private var likelyCauses: String {
    var causes: [String] = []
    let total = handshakes.values.reduce(0, +)
    let counts = handshakeCounts.map { "\($0), the last from \(network)" } ?? ""
    if handshakes.keys.contains(where: \.isAboutCertificate) {
      causes.append(
        "the device does not trust the receipt listener's certificate (\(CountText.text(total, "TLS handshake")) "
          + "failed: \(counts)): use a certificate that it trusts, or install the authority on it")
    } else if total > 0 {
      causes.append(
        "the device cannot complete a TLS handshake with the receipt listener (\(total) failed: \(counts)); some "
          + "clients close without an alert where they do not trust the certificate")
    }
    if forged > 0 {
      causes.append(
        "\(CountText.text(forged, "receipt")) had a wrong MAC: the device must return id and mac of the payload as they "
          + "came, and they must be of this collector")
    }
    if malformed > 0 {
      causes.append(
        "\(CountText.text(malformed, "request")) to the receipt listener could not be read: docs/receipts.md has the format"
      )
    }
    guard causes.isEmpty else { return causes.joined(separator: "; ") }
    return hearsOthers
      ? "this app posts no receipts, or the device token is of another app or device (receipts of other targets arrive)"
      : "nothing of a device has reached the receipt listener: it cannot reach the address (name, port, firewall; a web "
        + "page of a public site needs permission for a private address), the app posts no receipts, or the device "
        + "token is of another app or device"
  }
}

extension HandshakeFailure {
  /// What it means for whoever runs the listener.
  var explanation: String {
    if isAboutCertificate {
      return
        "the client does not trust the certificate; use one that it trusts, or install the authority on it"
    }
    return switch self {
    case .closed: "the client closed it without an alert, as some do that do not trust the certificate"
    case .timeout: "the client did not complete it in time"
    case .notTLS: "the client does not speak TLS; receipts are posted with https"
    case .refused: "the client offered nothing that the listener takes; it needs TLS 1.2 or later"
    case .noApplicationProtocol: "the client speaks neither HTTP/2 nor HTTP/1.1"
    default: "the client ended it"
    }
  }
}
