import Measurement
import Providers

/// What a run's targets need beside the threads that send, record and hear devices: credentials that are kept fresh, and
/// subscriptions that hear what was published.
final class TargetServices: Sendable {
  /// A credential and who sends by it, before targets that share one are put together.
  struct Credential: Sendable {
    /// Equal for targets that can share one.
    var identity: CredentialIdentity
    var source: any CredentialSource
    var rule: CredentialRule
    var client: CredentialRegistry.Client
  }

  /// A topic to listen to, and what publishes on it.
  struct Subscription: Sendable {
    var subject: NtfySubscriber.Subject
    /// As many as the target has variants, for what is heard at once and for what is to be kept until it is.
    var providers: @Sendable (_ isHeard: Bool) -> [any Provider]
  }

  private let keeper: CredentialRenewer
  private let subscribers: [(subscription: Subscription, subscriber: NtfySubscriber)]
  /// What is waited for over the network before anything is sent, for people.
  private let awaited: [String]
  private let say: @Sendable (String) -> Void

  /// Begins to make credentials and to open subscriptions.
  /// - Parameters:
  ///   - patience: how long ``ready()`` waits for what comes over the network.
  ///   - sink: takes what subscriptions hear.
  ///   - post: takes events and log lines, from any thread.
  /// - Throws: ``TransportError`` when the system gives nothing to listen with.
  init(
    credentials: [Credential], subscriptions: [Subscription], clock: any HostClock, seed: UInt64,
    patience: Duration, sink: any ReceiptSink, post: @escaping @Sendable ([Observation]) -> Void
  ) throws(TransportError) {
    let items = Self.items(credentials)
    awaited =
      items.filter(\.source.isRemote).map { "the \($0.source.name)" }
      + subscriptions.map { "the subscription of \($0.subject.name)" }
    say = { message in
      post([.log(LogLine(at: clock.wallNow(), level: .info, label: "collector", message: message))])
    }
    keeper = CredentialRenewer(items, clock: clock, seed: seed, patience: patience, post: post)
    var subscribers: [(subscription: Subscription, subscriber: NtfySubscriber)] = []
    for subscription in subscriptions {
      do {
        let subscriber = try NtfySubscriber(
          subscription.subject, clock: clock, patience: patience, sink: sink, post: post)
        subscribers.append((subscription, subscriber))
      } catch {
        keeper.stop()
        for (_, subscriber) in subscribers { subscriber.stop() }
        throw error
      }
    }
    self.subscribers = subscribers
  }

  private static func items(_ credentials: [Credential]) -> [CredentialRegistry.Item] {
    var items: [(identity: CredentialIdentity, item: CredentialRegistry.Item)] = []
    for credential in credentials {
      if let index = items.firstIndex(where: { $0.identity == credential.identity }) {
        items[index].item.clients.append(credential.client)
      } else {
        items.append(
          (
            credential.identity,
            CredentialRegistry.Item(
              source: credential.source, rule: credential.rule, clients: [credential.client])
          ))
      }
    }
    return items.map(\.item)
  }

  /// Waits until there is a credential for everyone and every subscription is open, as long as that may take: nothing is
  /// sent before. What could not be reached by then is tried on and on.
  /// - Throws: ``CollectorError`` for what will never be there.
  func ready() async throws -> Readiness {
    if !awaited.isEmpty {
      say("sending begins once these are available: \(awaited.joined(separator: ", "))")
    }
    let credentials = try await keeper.first()
    var readiness = Readiness(credentials: credentials)
    for (subscription, subscriber) in subscribers {
      do {
        try await subscriber.opened()
      } catch let error as CollectorError where error.code == .unreachable {
        readiness.unreached[subscription.subject.target] = error.description
      }
    }
    return readiness
  }

  /// From now on the timing thread is told of renewed credentials, and of subscriptions that come and go: what is
  /// published while nobody hears it would be lost by us, and not by the service.
  func attach(_ timing: TimingThread) {
    keeper.onRenewal {
      timing.replaceProviders($0.providers, of: $1, serial: $0.serial)
    } tryAgain: {
      timing.tryCredentialAgain(of: $0)
    }
    for (subscription, subscriber) in subscribers {
      subscriber.onChange { isOpen in
        timing.replaceProviders(subscription.providers(isOpen), of: subscription.subject.target)
      }
    }
  }

  /// What an answer says of a credential; called on the timing thread.
  func note(_ feedback: CredentialFeedback) { keeper.note(feedback) }

  /// Looks through what the timing thread saw; called on that thread.
  func note(_ observations: [Observation]) {
    guard !subscribers.isEmpty else { return }
    for case .event(let event) in observations where event.kind == .connected {
      subscribers.first { $0.subscription.subject.target == event.target }?.subscriber.hurry()
    }
  }

  /// Ends both, and ``ready()`` with an error if somebody waits there; may be called more than once.
  func stop() {
    keeper.stop()
    for (_, subscriber) in subscribers { subscriber.stop() }
  }
}
