import Measurement
import Providers
import Synchronization
import Transport

/// The credentials and subscriptions of a run's targets: renews the former, receives from the latter.
final class TargetServices: Sendable {
  /// A credential of one target, before targets that share one are grouped.
  struct Credential: Sendable {
    /// Equal for targets that can share a credential.
    var identity: CredentialIdentity
    var source: any CredentialSource
    var rule: CredentialRule
    var client: CredentialRegistry.Client
  }

  /// What to subscribe to, and the providers that publish there.
  struct Subscription: Sendable {
    var subject: Subscriber.Subject
    /// Makes one provider a variant. While the subscription is not open, messages ask the server to keep them. `nil` where the
    /// providers know of the subscription themselves.
    var providers: (@Sendable (_ isOpen: Bool) -> [any Provider])?
    /// Where to send to, where only the subscription tells; nothing is sent before.
    var endpoint: SubscribedEndpoint?
  }

  private let renewer: CredentialRenewer
  /// The targets that they are of, but for those that were dropped.
  private let targets: Mutex<Set<TargetID>>
  /// Which of the run's configurations they are of.
  private let generation: Int
  private let subscribers: [(subscription: Subscription, subscriber: Subscriber)]
  /// What sending waits for, for people.
  private let awaited: [String]
  private let say: @Sendable (String) -> Void

  /// Starts to make credentials and to open subscriptions.
  /// - Parameters:
  ///   - thread: makes the run's credentials.
  ///   - generation: which of the run's configurations they are of, from 0.
  ///   - timeout: how long ``ready()`` waits for the network.
  ///   - sink: takes the receipts of subscriptions.
  ///   - post: takes events and log lines, from any thread.
  /// - Throws: ``ThreadError``, `TransportError`.
  init(
    credentials: [Credential], subscriptions: [Subscription], on thread: CredentialThread,
    clock: any HostClock, seed: UInt64, generation: Int = 0, timeout: Duration, sink: any ReceiptSink,
    post: @escaping @Sendable ([Observation]) -> Void
  ) throws {
    let items = Self.items(credentials)
    awaited =
      items.filter(\.source.isRemote).map { "the \($0.source.name)" }
      + subscriptions.map { "the subscription of \($0.subject.name)" }
    say = { message in
      post([.log(LogLine(at: clock.wallNow(), level: .info, label: "collector", message: message))])
    }
    self.generation = generation
    // Numbers of their own for each configuration: what is still said of a former one's credential is not taken for this
    // one's.
    targets = Mutex(
      Set(credentials.map(\.client.target)).union(subscriptions.map(\.subject.target)))
    renewer = try CredentialRenewer(
      items, on: thread, clock: clock, seed: seed, firstSerial: generation << 20, timeout: timeout, post: post
    )
    var subscribers: [(subscription: Subscription, subscriber: Subscriber)] = []
    for subscription in subscriptions {
      do {
        let subscriber = try Subscriber(
          subscription.subject, clock: clock, timeout: timeout, sink: sink, post: post)
        subscribers.append((subscription, subscriber))
      } catch {
        renewer.stop()
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

  /// Waits until every target has its credential and every subscription is open, at most for the timeout. What is missing
  /// then is retried until it succeeds.
  /// - Throws: ``CollectorError`` for what will never succeed.
  func ready() async throws -> Readiness {
    if !awaited.isEmpty {
      say("sending begins once these are available: \(awaited.joined(separator: ", "))")
    }
    let credentials = try await renewer.first()
    var readiness = Readiness(credentials: credentials)
    for (subscription, subscriber) in subscribers {
      do throws(CollectorError) {
        try await subscriber.opened()
      } catch {
        guard error.code == .unreachable else { throw error }
        readiness.unreached[subscription.subject.target] = error.description
        if subscription.endpoint?.isKnown == false { readiness.awaited.insert(subscription.subject.target) }
      }
    }
    return readiness
  }

  /// Passes renewed credentials to the timing thread from now on. When a subscription opens or ends, passes providers
  /// that do not or do ask the server to keep messages: one published while no stream is open would otherwise be lost
  /// by us. Where the subscription tells where to send to, passes that this has changed.
  func attach(_ timing: TimingThread) {
    renewer.onRenewal { [generation] in
      timing.replaceProviders($0.providers, of: $1, serial: $0.serial, generation: generation)
    } tryAgain: { [generation] in
      timing.tryCredentialAgain(of: $0, generation: generation)
    }
    for (subscription, subscriber) in subscribers {
      let target = subscription.subject.target
      // Not owned: the thread's providers own the endpoint.
      subscription.endpoint?.onReplacement { [weak timing, generation] in
        timing?.updateReceiver(of: target, isAnother: true, generation: generation)
      }
      subscriber.onChange { [generation] isOpen in
        if let providers = subscription.providers {
          timing.replaceProviders(providers(isOpen), of: target, generation: generation)
        } else {
          // Requests made ahead do or do not ask the service to keep them.
          timing.updateReceiver(of: target, isAnother: false, generation: generation)
          // There is somewhere to send to, or this hello has made good what was refused.
          if isOpen { timing.tryCredentialAgain(of: target, generation: generation) }
        }
      }
    }
  }

  /// Records what an answer says of a credential; called on the timing thread.
  func record(_ feedback: CredentialFeedback) { renewer.record(feedback) }

  /// Looks for new connections to the targets' services; called on the timing thread.
  func observe(_ observations: [Observation]) {
    guard !subscribers.isEmpty else { return }
    for case .event(let event) in observations where event.kind == .connected {
      subscribers.first { $0.subscription.subject.target == event.target }?.subscriber.hurry()
    }
  }

  /// Whether no target has a credential or a subscription of these.
  var isEmpty: Bool { targets.withLock { $0.isEmpty } }

  /// Ends what belongs to some targets, which go on as something else or end.
  func drop(_ targets: Set<TargetID>) {
    self.targets.withLock { $0.subtract(targets) }
    renewer.drop(targets)
    for (subscription, subscriber) in subscribers where targets.contains(subscription.subject.target) {
      subscriber.stop()
    }
  }

  /// Ends all of them, and ``ready()`` with an error. May be called more than once.
  func stop() {
    renewer.stop()
    for (_, subscriber) in subscribers { subscriber.stop() }
  }
}

/// The services of a run, of each of its configurations.
final class ServiceList: Sendable {
  private struct State {
    var services: [TargetServices] = []
    var isStopped = false
  }

  private let state = Mutex(State())

  /// Services that are added after ``stop()`` are stopped at once.
  func add(_ services: TargetServices) {
    if services.isEmpty { return }
    let isStopped = state.withLock { state in
      state.services.append(services)
      return state.isStopped
    }
    if isStopped { services.stop() }
  }

  func record(_ feedback: CredentialFeedback) { for services in all { services.record(feedback) } }

  func observe(_ observations: [Observation]) { for services in all { services.observe(observations) } }

  /// Ends what belongs to some targets, and forgets services that are of no other.
  func drop(_ targets: Set<TargetID>) {
    for services in all { services.drop(targets) }
    // Released outside the lock.
    _ = state.withLock { state in
      let former = state.services
      state.services.removeAll(where: \.isEmpty)
      return former
    }
  }

  func stop() {
    let services = state.withLock { state in
      state.isStopped = true
      return state.services
    }
    for services in services { services.stop() }
  }

  private var all: [TargetServices] { state.withLock { $0.services } }
}

/// The providers and credentials that a run begins with.
struct Readiness: Sendable {
  /// The providers of targets with credentials, with or without them.
  var providers: [TargetID: [any Provider]]
  /// Targets without a first credential, or without a place to send to.
  var awaited: Set<TargetID>
  /// Targets whose credential or subscription could not be reached, and why.
  var unreached: [TargetID: String]

  init(credentials: InitialCredentials) {
    providers = credentials.providers
    for missing in credentials.missing { providers[missing.target] = missing.providers }
    awaited = Set(credentials.missing.map(\.target))
    unreached = Dictionary(
      credentials.missing.map { ($0.target, $0.reason) }, uniquingKeysWith: { first, _ in first })
  }

  func credential(of target: TargetID) -> CredentialOwnership {
    awaited.contains(target) ? .awaited : providers[target] == nil ? .fixed : .kept
  }
}
