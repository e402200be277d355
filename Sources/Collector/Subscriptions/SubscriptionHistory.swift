import HTTPClient
import Measurement
import Transport

/// Why a connection of a subscription has ended.
struct SubscriptionLoss: Error, Sendable, Equatable {
  var reason: String
  /// The status of an answer that did not open the subscription.
  var status: Int?
  /// The pause that the server has asked for.
  var retryAfter: Duration?
  /// A retry without a change will end in the same way, whatever the status is.
  var isFinal = false

  /// The subscriber was stopped.
  static let stopped = SubscriptionLoss(reason: "stopped")
  static let noHandle = SubscriptionLoss(reason: "libcurl could not create a handle")

  /// A retry will get the same answer: the server does not accept the credentials, or has no such topic.
  var isRefusal: Bool {
    isFinal || status.map { (400..<500).contains($0) && $0 != 408 && $0 != 429 } ?? false
  }
}

/// The history of a subscription's connections, as a value that a clock steps: when the next one may begin, which losses are worth a
/// line of the log, and since when there was none.
struct SubscriptionHistory: Sendable {
  private var backoff: ReconnectBackoff
  /// The delays between refused connections.
  private var refusals: ExponentialDelay
  /// No connection before this, at the server's request or after its refusal; a hurry does not shorten it.
  private(set) var silentUntil = MonotonicTime.zero
  /// Whether the wait may be shortened: once between two connections that lasted.
  private(set) var canBeHurried = true
  /// The time without a connection before the current one.
  private(set) var gap: ListeningGap
  /// When the current connection opened the subscription.
  private var openedAt: MonotonicTime?
  /// When a loss was last logged, and how many there were since.
  private var loggedAt: MonotonicTime?
  private var unlogged = 0

  private static let logInterval = Duration.seconds(60)
  /// The pause that follows an answer that neither opens the subscription nor refuses it for good.
  private static let answeredPause = Duration.seconds(10)

  init(seed: UInt64, at now: MonotonicTime) {
    backoff = ReconnectBackoff(seed: seed)
    refusals = .afterRefusal(seed: seed)
    gap = ListeningGap(from: now, to: now)
  }

  /// Whether the subscription is open.
  var isOpen: Bool { openedAt != nil }

  /// Whether no connection was lost since one that lasted.
  var isUnbroken: Bool { backoff.failures == 0 }

  /// When the next connection may begin.
  func earliest(at now: MonotonicTime) -> MonotonicTime { backoff.earliest ?? now }

  /// The subscription is open.
  mutating func open(at now: MonotonicTime) {
    openedAt = now
    gap.to = now
  }

  /// A connection has ended.
  /// - Parameter heardAt: when something was last heard on it.
  /// - Returns: the line of the log; `nil` for none: a server that ends every connection must not fill the store.
  mutating func lose(_ loss: SubscriptionLoss, heardAt: MonotonicTime, at now: MonotonicTime) -> String? {
    let wasOpen = isOpen
    if let openedAt {
      refusals.reset()
      // The backoff grows for a server that ends each connection at once, too.
      if now - openedAt >= ReconnectBackoff.longest {
        backoff.recordSuccess()
        canBeHurried = true
        // A shorter one may not have delivered everything that waited, so its gap goes on.
        gap.from = heardAt
      }
    }
    openedAt = nil
    backoff.recordFailure(at: now)
    // Servers count wrong passwords, and then refuse the right one too.
    let silence = loss.isRefusal ? refusals.next() : loss.status == nil ? .zero : Self.answeredPause
    silentUntil = now + max(loss.retryAfter ?? .zero, silence)
    backoff.hold(until: silentUntil)
    return wasOpen || backoff.failures == 1 ? line(of: loss, wasOpen: wasOpen, at: now) : nil
  }

  /// The line of the log; `nil` within a minute of the one before.
  private mutating func line(of loss: SubscriptionLoss, wasOpen: Bool, at now: MonotonicTime) -> String? {
    if let loggedAt, now - loggedAt < Self.logInterval {
      unlogged += 1
      return nil
    }
    let others =
      unlogged == 0
      ? "" : "; \(CountText.text(unlogged, "more loss", plural: "more losses")) since the last line"
    loggedAt = now
    unlogged = 0
    let what = wasOpen ? "is lost" : "cannot be opened"
    return "the subscription \(what): \(loss.reason)\(others)"
  }

  /// The wait is shortened as far as the server lets it.
  /// - Returns: when the next connection may begin, at the earliest.
  mutating func hurry() -> MonotonicTime {
    canBeHurried = false
    return silentUntil
  }
}
