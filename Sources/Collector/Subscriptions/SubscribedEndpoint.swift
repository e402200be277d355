import Measurement
import Providers
import Synchronization

/// Where the notifications of a target that subscribes go: what the push service has told the subscriber, for the providers, and
/// what its answers to them say of that, for the subscriber. Shared by the timing thread and the subscriber's.
final class SubscribedEndpoint: Sendable {
  /// What an answer says of the endpoint.
  enum Refusal: Sendable, Equatable {
    /// 404 or 410: the service does not know it.
    case unknown
    /// 401 or 403: it is not for this sender.
    case sender
  }

  private struct State {
    var subscription: PushSubscription?
    var isOpen = false
    var refusal: Refusal?
    var wake: (@Sendable () -> Void)?
    var onReplacement: (@Sendable () -> Void)?
  }

  /// Scheme, host and port of every endpoint.
  let origin: String
  private let state = Mutex(State())

  init(origin: String) { self.origin = origin }

  /// Whether the push service has told an endpoint.
  var isKnown: Bool { state.withLock { $0.subscription != nil } }

  /// The subscription, and whether its connection is open.
  var current: (subscription: PushSubscription?, isOpen: Bool) {
    state.withLock { ($0.subscription, $0.isOpen) }
  }

  func set(_ subscription: PushSubscription?) {
    let onReplacement = state.withLock { state in
      defer {
        state.subscription = subscription
        state.refusal = nil
      }
      return state.subscription == nil || subscription == nil ? nil : state.onReplacement
    }
    onReplacement?()
  }

  /// - Parameter observe: called when another subscription takes the place of one, on the subscriber's thread.
  func onReplacement(_ observe: @escaping @Sendable () -> Void) {
    state.withLock { $0.onReplacement = observe }
  }

  func record(isOpen: Bool) { state.withLock { $0.isOpen = isOpen } }

  /// - Parameter wake: called when an answer refuses the endpoint, on the timing thread.
  func onRefusal(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  /// Records the status of an answer; called on the timing thread.
  func record(status: Int) {
    let refusal: Refusal
    switch status {
    case 404, 410: refusal = .unknown
    case 401, 403: refusal = .sender
    default: return
    }
    let wake = state.withLock { state in
      state.refusal = refusal
      return state.wake
    }
    wake?()
  }

  func consumeRefusal() -> Refusal? {
    state.withLock { state in
      defer { state.refusal = nil }
      return state.refusal
    }
  }
}

/// Sends to a ``SubscribedEndpoint``.
struct SubscribedProvider: Provider {
  private let provider: WebPushProvider
  private let endpoint: SubscribedEndpoint
  /// The time to live while nobody is connected; it is not zero, since that would drop the notification.
  private let awayTTL: Duration

  /// - Parameter make: makes a provider for any subscription.
  init(
    to endpoint: SubscribedEndpoint, awayTTL: Duration,
    _ make: (PushSubscription) throws(ProviderError) -> WebPushProvider
  ) throws(ProviderError) {
    self.endpoint = endpoint
    self.awayTTL = awayTTL
    // Nothing is sent before there is an endpoint; until then requests are only made for a check.
    provider = try make(.placeholder(at: endpoint.origin))
  }

  func request(for notification: PushNotification) -> PushRequest {
    let (subscription, isOpen) = endpoint.current
    guard let subscription else { return provider.request(for: notification) }
    return provider.addressed(to: subscription, leastTTL: isOpen ? .zero : awayTTL).request(for: notification)
  }

  func assess(_ response: PushResponse) -> ProviderAssessment {
    endpoint.record(status: response.status)
    return provider.assess(response)
  }
}
