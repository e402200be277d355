import Configuration
import Cryptography
import HTTPServer
import Measurement

/// The user agents of the push service with their subscriptions and what is kept for them. A value without time of its own;
/// ``AutopushService`` drives it.
struct AutopushSubscriptions {
  /// A subscription: where an application server posts to.
  struct Subscription: Equatable {
    var uaid: String
    var channelID: String
    /// The application server's key that it is restricted to; `nil`: any.
    var key: P256.PublicKey?
  }

  /// Notifications of a user agent that it has not acknowledged.
  private struct Kept {
    var notification: AutopushNotification
    /// Unix seconds.
    var expiresAt: Int64
    /// It was sent over the connection that stands.
    var isSent: Bool
  }

  private struct Agent {
    /// The channel of each endpoint, by the endpoint's secret part.
    var tokens: [String: String] = [:]
    var kept: [Kept] = []
  }

  /// How many notifications that were kept are sent at once; the next when all are acknowledged.
  static let batch = 10
  /// Limit of user agents, and of the endpoints of one.
  static let mostAgents = 10_000

  private let behavior: AgentBehavior
  private var agents: [String: Agent] = [:]
  private var subscriptions: [String: Subscription] = [:]
  /// Endpoints that were valid once.
  private var ended: BoundedCache<String, Bool>

  init(_ behavior: AgentBehavior) {
    self.behavior = behavior
    ended = BoundedCache(capacity: 10_000)
  }

  func knows(_ uaid: String) -> Bool { agents[uaid] != nil }

  func subscription(_ token: String) -> Subscription? { subscriptions[token] }

  func hasEnded(_ token: String) -> Bool { ended[token] == true }

  /// Makes a subscription; its user agent is known from then on. A channel may have several endpoints.
  /// - Returns: whether there is room for it.
  mutating func register(_ subscription: Subscription, token: String) -> Bool {
    guard agents[subscription.uaid] != nil || agents.count < Self.mostAgents else { return false }
    var agent = agents[subscription.uaid] ?? Agent()
    guard agent.tokens.count < Self.mostAgents else { return false }
    agent.tokens[token] = subscription.channelID
    agents[subscription.uaid] = agent
    subscriptions[token] = subscription
    return true
  }

  mutating func unregister(_ channelID: String, of uaid: String) {
    guard var agent = agents[uaid] else { return }
    for (token, _) in agent.tokens.filter({ $0.value == channelID }) { end(token, of: &agent) }
    agent.kept.removeAll { $0.notification.channelID == channelID }
    agents[uaid] = agent
  }

  /// Forgets a user agent: its endpoints are gone.
  mutating func forget(_ uaid: String) {
    guard var agent = agents[uaid] else { return }
    for token in agent.tokens.keys { end(token, of: &agent) }
    agents[uaid] = nil
  }

  private mutating func end(_ token: String, of agent: inout Agent) {
    agent.tokens[token] = nil
    subscriptions[token] = nil
    ended.insert(true, for: token)
  }

  // MARK: - Notifications

  /// Keeps a notification for a user agent.
  /// - Parameters:
  ///   - isConnected: it can be sent at once.
  ///   - now: Unix seconds.
  /// - Returns: whether the user agent was forgotten, because more are kept for it than may be.
  mutating func accept(_ notification: AutopushNotification, isConnected: Bool, at now: Int64) -> Bool {
    guard let uaid = subscriptions[notification.token]?.uaid, var agent = agents[uaid] else { return false }
    guard notification.ttl > 0 else { return false }
    if let topic = notification.topic {
      agent.kept.removeAll {
        $0.notification.topic == topic && $0.notification.channelID == notification.channelID
      }
    }
    agent.kept.append(
      Kept(notification: notification, expiresAt: now + Int64(notification.ttl), isSent: isConnected))
    agent.kept.removeAll { $0.expiresAt <= now }
    agents[uaid] = agent
    guard agent.kept.count > behavior.stored else { return false }
    forget(uaid)
    return true
  }

  /// A connection begins: nothing was sent over it yet.
  mutating func connect(_ uaid: String) {
    guard var agent = agents[uaid] else { return }
    for index in agent.kept.indices { agent.kept[index].isSent = false }
    agents[uaid] = agent
  }

  /// The user agent has these.
  mutating func acknowledge(_ versions: [String], by uaid: String) {
    guard var agent = agents[uaid] else { return }
    agent.kept.removeAll { versions.contains($0.notification.version) }
    agents[uaid] = agent
  }

  /// What is sent next of what is kept, once all that was sent is acknowledged.
  mutating func nextBatch(of uaid: String, at now: Int64) -> [AutopushNotification] {
    guard var agent = agents[uaid] else { return [] }
    agent.kept.removeAll { $0.expiresAt <= now }
    guard !agent.kept.contains(where: \.isSent) else { return [] }
    let batch = agent.kept.indices.prefix(Self.batch)
    for index in batch { agent.kept[index].isSent = true }
    agents[uaid] = agent
    return agent.kept[batch].map(\.notification)
  }
}
