/// How the built-in push service behaves: a readable YAML file, or a value in a test.
///
/// The seed and the number of a request among the well-formed ones decide its fate, and nothing else does, save that
/// episodes and freezes go by the time since the first request.
public struct Scenario: Sendable, Hashable {
  public var seed: UInt64
  /// SETTINGS_MAX_CONCURRENT_STREAMS of a connection after its first accepted request; 1 before.
  public var streamLimit: Int
  public var answers: AnswerBehavior
  public var deliveries: DeliveryBehavior
  /// What a dialect does differently from `answers` and `deliveries`.
  public var dialects: [ScenarioDialect: ScenarioBehavior]
  public var tokens: TokenBehavior
  public var connections: ConnectionBehavior
  public var subscriptions: SubscriptionBehavior
  /// The first one that holds counts.
  public var episodes: [ScenarioEpisode]
  /// Stretches in which the service stands still: what is due then, answer or delivery, comes at their end, and the
  /// delays of what arrives then begin at their end.
  public var freezes: [ScenarioWindow]

  public init(
    seed: UInt64 = 1, streamLimit: Int = 1000, answers: AnswerBehavior = AnswerBehavior(),
    deliveries: DeliveryBehavior = DeliveryBehavior(), episodes: [ScenarioEpisode] = [],
    freezes: [ScenarioWindow] = [], dialects: [ScenarioDialect: ScenarioBehavior] = [:],
    tokens: TokenBehavior = TokenBehavior(), connections: ConnectionBehavior = ConnectionBehavior(),
    subscriptions: SubscriptionBehavior = SubscriptionBehavior()
  ) {
    self.seed = seed
    self.streamLimit = streamLimit
    self.answers = answers
    self.deliveries = deliveries
    self.episodes = episodes
    self.freezes = freezes
    self.dialects = dialects
    self.tokens = tokens
    self.connections = connections
    self.subscriptions = subscriptions
  }

  /// The episode at a time since the first request.
  public func episode(at time: Duration) -> ScenarioEpisode? {
    episodes.first { $0.window.end(at: time) != nil }
  }

  /// What holds for a dialect at a time since the first request.
  public func behavior(of dialect: ScenarioDialect, at time: Duration) -> ScenarioBehavior {
    if let episode = episode(at: time) {
      return episode.dialects[dialect]
        ?? ScenarioBehavior(answers: episode.answers, deliveries: episode.deliveries)
    }
    return dialects[dialect] ?? ScenarioBehavior(answers: answers, deliveries: deliveries)
  }

  /// SETTINGS_MAX_CONCURRENT_STREAMS of a trusted connection at a time since the first request.
  public func streamLimit(at time: Duration) -> Int { episode(at: time)?.streamLimit ?? streamLimit }

  /// The next time after `time` at which the stream limit may be another one; `nil` when it stays for good.
  public func nextStreamLimitChange(after time: Duration) -> Duration? {
    guard episodes.contains(where: { $0.streamLimit != nil }) else { return nil }
    return episodes.compactMap { $0.window.nextEdge(after: time) }.min()
  }

  /// `time`, or the end of the freeze it lies in.
  public func thaw(_ time: Duration) -> Duration {
    var time = time
    // A freeze may begin just where another one ends. Each step leads to a later end, and few are written.
    for _ in freezes {
      guard let end = freezes.lazy.compactMap({ $0.end(at: time) }).max() else { break }
      time = end
    }
    return time
  }
}
