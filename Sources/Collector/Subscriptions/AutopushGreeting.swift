import Configuration
import FoundationEssentials
import Measurement
import Providers
import Synchronization
import Threads

/// Tries whether a push service lets the collector be a user agent: opens a WebSocket, says hello without an identity, and closes it. It
/// costs the service nothing, which stores a new user agent with its first subscription only.
struct AutopushGreeting: Sendable {
  var service: Endpoint
  var caFile: String?
  var clock: any HostClock
  /// How long the service may take for each answer.
  var timeout = Duration.seconds(10)

  /// What was heard on the subscriber's thread.
  private final class Outcome: ReceiptSink {
    let result = Mutex<Result<Duration, SubscriptionLoss>?>(nil)
    let wake: WakeSignal

    init() throws { wake = try WakeSignal() }

    func finish(_ outcome: Result<Duration, SubscriptionLoss>) {
      result.withLock { $0 = $0 ?? outcome }
      wake.raise()
    }

    func receive(
      _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
      reply: @escaping @Sendable (ReceiptOutcome) -> Void
    ) {}
    func refused(_ refusal: ReceiptRefusal) {}
    func handshakeFailed(_ failure: HandshakeFailure, from source: String) {}
  }

  /// Blocks until the service has answered.
  /// - Returns: what opening and the answer to hello took together.
  func attempt() -> Result<Duration, SubscriptionLoss> {
    do {
      let outcome = try Outcome()
      let subject = Subscriber.Subject(
        target: TargetID(rawValue: 1), name: "", service: Attempt(greeting: self) { outcome.finish($0) },
        authenticator: ReceiptAuthenticator(secret: [0], collectorID: UUID()), caFile: caFile, bootID: "",
        seed: 1)
      let subscriber = try Subscriber(subject, clock: clock, timeout: timeout, sink: outcome, post: { _ in })
      defer { subscriber.stop() }
      outcome.wake.wait(atMost: timeout * 3)
      return outcome.result.withLock { $0 }
        ?? .failure(SubscriptionLoss(reason: "the push service does not answer"))
    } catch {
      return .failure(SubscriptionLoss(reason: "\(error)"))
    }
  }

  private struct Attempt: SubscribableService {
    var greeting: AutopushGreeting
    var finish: @Sendable (Result<Duration, SubscriptionLoss>) -> Void

    func makeListener(on loop: SubscriptionLoop) -> any SubscriptionListener { Listener(self, on: loop) }
  }

  private final class Listener: SubscriptionListener {
    private let attempt: Attempt
    private unowned let loop: SubscriptionLoop

    init(_ attempt: Attempt, on loop: SubscriptionLoop) {
      self.attempt = attempt
      self.loop = loop
    }

    func listen() -> SubscriptionLoss {
      do throws(SubscriptionLoss) {
        attempt.finish(.success(try greet()))
        return .stopped
      } catch {
        attempt.finish(.failure(error))
        return error
      }
    }

    private func greet() throws(SubscriptionLoss) -> Duration {
      let began = loop.clock.monotonicNow()
      let greeting = attempt.greeting
      guard let connection = WebSocketConnection(loop, maximumBytes: AutopushEvent.maximumBytes) else {
        throw .noHandle
      }
      try connection.open(
        greeting.service, protocols: AutopushAgent.protocols, by: began + greeting.timeout)
      var session = AutopushSession(service: "", origin: "", senderKey: nil, identity: nil)
      try connection.send(session.greeting.text)
      let deadline = loop.clock.monotonicNow() + greeting.timeout
      while session.step == .greeting {
        guard loop.clock.monotonicNow() < deadline, !loop.isStopping else {
          throw SubscriptionLoss(reason: "the push service does not answer hello")
        }
        _ = connection.waitForBytes(atMost: .milliseconds(100))
        _ = try connection.read { (message, _) throws(SubscriptionLoss) in
          switch message {
          case .text(let text): if let event = AutopushEvent.parse(text) { _ = try session.receive(event) }
          case .close(let code, _):
            throw SubscriptionLoss(reason: "the push service closes the connection with \(code ?? 1005)")
          case .ping, .pong: break
          }
        }
      }
      connection.close(1000)
      return loop.clock.monotonicNow() - began
    }
  }
}
