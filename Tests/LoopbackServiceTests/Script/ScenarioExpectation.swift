@testable import Configuration

/// What a file of `config/scenarios` promises, in numbers of its own: the test that holds the file against them fails when
/// either is changed alone.
struct ScenarioExpectation: Sendable {
  /// What the file says, written again.
  var written: Scenario
  /// Plays the file against clients that share no code with us and expects what its first lines say.
  var play: @Sendable (Scenario) async throws -> Void

  init(_ written: Scenario, play: @escaping @Sendable (Scenario) async throws -> Void) {
    self.written = written
    self.play = play
  }

  /// By the file's name. There is one for each file: ``ScenarioFileTests`` sees to it.
  static let all: [String: ScenarioExpectation] = [
    "accept-then-drop": ScenarioExpectation(
      quick(answer: 3, DeliveryBehavior(delay: milliseconds(30), lost: 0.2)),
      play: ScenarioRun.looksPerfectAndLoses),
    "bimodal": ScenarioExpectation(
      Scenario(
        answers: AnswerBehavior(delay: lognormal(5, sigma: 0.595_910_171_728_492_4)),
        deliveries: DeliveryBehavior(
          delay: DelayDistribution(
            .mixture([
              .init(weight: 4, delay: lognormal(150, sigma: 0.2)),
              .init(weight: 1, delay: lognormal(600, sigma: 0.15)),
            ])))),
      play: ScenarioRun.lastOne),
    "connections": ScenarioExpectation(
      quick(
        answer: 3, faults: [AnswerFault(kind: .disconnect, probability: 0.01)],
        DeliveryBehavior(delay: milliseconds(30)), connections: ConnectionBehavior(dropped: 0.33)),
      play: ScenarioRun.connectionsAreCut),
    "connection-failures": ScenarioExpectation(
      minute("unreachable", connections: ConnectionBehavior(dropped: 0.9)) { _, _ in },
      play: ScenarioRun.openConnectionsAreCut),
    "credential-refusals": ScenarioExpectation(
      minute("refused") { answers, _ in
        answers.errors = [ErrorAnswer(reason: "InvalidProviderToken", status: 403, probability: 0.5)]
      }, play: ScenarioRun.episodeNow),
    "device-asleep": ScenarioExpectation(
      minute(
        "asleep", lognormal(100, sigma: 0.35),
        devices: [
          "phone": DeliveryChanges(asleep: .init(length: .milliseconds(3800), every: .seconds(4)))
        ]
      ) { _, _ in },
      play: ScenarioRun.oneDeviceSleeps),
    "device-loss": ScenarioExpectation(
      {
        var scenario = minute("weak signal", devices: ["phone": DeliveryChanges(lost: 0.33)]) { _, _ in }
        scenario.devices = ["phone": DeliveryChanges(delay: milliseconds(100))]
        return scenario
      }(), play: ScenarioRun.oneDeviceLoses),
    "dialects": ScenarioExpectation(dialects, play: ScenarioRun.eachDialectHasItsOwnTroubles),
    "duplicate": ScenarioExpectation(
      quick(
        answer: 3,
        DeliveryBehavior(
          delay: DelayDistribution(.uniform(from: .milliseconds(20), to: .milliseconds(500))), duplicated: 0.1
        )),
      play: ScenarioRun.lastOne),
    "errors": ScenarioExpectation(
      Scenario(
        answers: AnswerBehavior(
          delay: DelayDistribution(.uniform(from: .milliseconds(2), to: .milliseconds(20))),
          errors: [
            ErrorAnswer(reason: "TooManyRequests", status: 429, probability: 0.01, retryAfter: .seconds(2)),
            ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.02, isDelivered: true),
            ErrorAnswer(reason: "Unregistered", status: 410, probability: 0.02),
            ErrorAnswer(reason: "InternalServerError", status: 500, probability: 0.02),
            ErrorAnswer(reason: "SomethingNew", status: 418, probability: 0.01),
          ]),
        deliveries: DeliveryBehavior(delay: milliseconds(30))),
      play: ScenarioRun.lastOne),
    "faults": ScenarioExpectation(
      quick(
        answer: 3,
        faults: [
          AnswerFault(kind: .reset, probability: 0.01, isDelivered: true),
          AnswerFault(kind: .refuse, probability: 0.01), AnswerFault(kind: .silence, probability: 0.005),
          AnswerFault(kind: .goaway, probability: 0.003, isDelivered: true),
          AnswerFault(kind: .disconnect, probability: 0.001),
        ], DeliveryBehavior(delay: milliseconds(30))),
      play: ScenarioRun.eachFault),
    "freeze": ScenarioExpectation(
      quick(
        answer: 2, DeliveryBehavior(delay: milliseconds(20)),
        freezes: [ScenarioWindow(from: .seconds(10), length: .milliseconds(1400))]),
      play: ScenarioRun.standsStill),
    "fresh-connections": ScenarioExpectation(
      minute(
        "expensive connections",
        connections: ConnectionBehavior(
          handshake: DelayDistribution(.uniform(from: .milliseconds(400), to: .milliseconds(800))))
      ) { answers, _ in
        answers.faults = [AnswerFault(kind: .goaway, probability: 0.05, isDelivered: true)]
      }, play: ScenarioRun.handshakesAreSlow),
    "goaway": ScenarioExpectation(
      quick(
        answer: 3,
        faults: [
          AnswerFault(kind: .goaway, probability: 0.01, isDelivered: true),
          AnswerFault(kind: .goawayUnprocessed, probability: 0.01),
        ], DeliveryBehavior(delay: milliseconds(30))),
      play: ScenarioRun.eachFault),
    "heavy-tail": ScenarioExpectation(
      Scenario(
        answers: AnswerBehavior(
          delay: DelayDistribution(.exponential(mean: .milliseconds(6)), maximum: .seconds(1))),
        deliveries: DeliveryBehavior(
          delay: DelayDistribution(.pareto(minimum: .milliseconds(40), shape: 1.2), maximum: .seconds(60)))),
      play: ScenarioRun.tailsAreHeavy),
    "lifelike": ScenarioExpectation(.lifelike, play: ScenarioRun.lastOne),
    "loss": ScenarioExpectation(
      quick(
        answer: 1,
        DeliveryBehavior(
          delay: milliseconds(10), lost: 0.05, duplicated: 0.04,
          reordered: .init(probability: 0.03, by: .milliseconds(120)))),
      play: ScenarioRun.lastOne),
    "loss-bursts": ScenarioExpectation(bursts, play: ScenarioRun.burstsGoOn),
    "reorder": ScenarioExpectation(
      quick(
        answer: 3,
        DeliveryBehavior(
          delay: milliseconds(30), reordered: .init(probability: 0.05, by: .milliseconds(800)))),
      play: ScenarioRun.laterOnesOvertake),
    "reset": ScenarioExpectation(
      quick(
        answer: 3,
        faults: [
          AnswerFault(kind: .reset, probability: 0.02, isDelivered: true),
          AnswerFault(kind: .reset, probability: 0.02), AnswerFault(kind: .refuse, probability: 0.02),
        ], DeliveryBehavior(delay: milliseconds(30))),
      play: ScenarioRun.lastOne),
    "retry-after": ScenarioExpectation(overload, play: ScenarioRun.saysWhenToComeBack),
    "server-errors": ScenarioExpectation(
      minute("broken") { answers, _ in
        answers.errors = [
          ErrorAnswer(reason: "InternalServerError", status: 500, probability: 0.3),
          ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.1),
        ]
      }, play: ScenarioRun.episodeNow),
    "silence": ScenarioExpectation(
      quick(
        answer: 3,
        faults: [
          AnswerFault(kind: .silence, probability: 0.01, isDelivered: true),
          AnswerFault(kind: .silence, probability: 0.01),
        ], DeliveryBehavior(delay: milliseconds(30))),
      play: ScenarioRun.lastOne),
    "slow-delivery": ScenarioExpectation(
      minute("slow delivery", lognormal(100, sigma: 0.35)) { _, deliveries in
        deliveries.delay = lognormal(700, sigma: 0.35, atMost: .seconds(20))
      }, play: ScenarioRun.episodeNow),
    "slow-path": ScenarioExpectation(
      minute(
        "slow path", milliseconds(60),
        connections: ConnectionBehavior(
          path: DelayDistribution(.uniform(from: .milliseconds(80), to: .milliseconds(160))))
      ) { _, _ in },
      play: ScenarioRun.everythingIsLate),
    "slow-processing": ScenarioExpectation(
      minute("slow processing", milliseconds(60), answers: lognormal(8, sigma: 0.4)) { answers, _ in
        answers.delay = lognormal(150, sigma: 0.4, atMost: .seconds(2))
      }, play: ScenarioRun.episodeNow),
    "steady": ScenarioExpectation(
      quick(answer: 0, DeliveryBehavior(delay: milliseconds(50))), play: ScenarioRun.nothingHappens),
    "stream-limit": ScenarioExpectation(narrow, play: ScenarioRun.streamLimitsChange),
    "subscriptions": ScenarioExpectation(
      quick(
        answer: 1, DeliveryBehavior(delay: milliseconds(1)),
        subscriptions: SubscriptionBehavior(
          keepalive: .seconds(2), cutAfter: .seconds(30), muteAfter: .seconds(20),
          requests: .init(burst: 60, every: .milliseconds(50)))),
      play: ScenarioRun.subscriptionsEnd),
    "throttling": ScenarioExpectation(
      minute("throttled") { answers, _ in
        answers.errors = [
          ErrorAnswer(reason: "TooManyRequests", status: 429, probability: 0.33, retryAfter: .seconds(1))
        ]
      }, play: ScenarioRun.episodeNow),
    "token-rejection": ScenarioExpectation(
      quick(
        answer: 3, errors: [ErrorAnswer(reason: "InvalidProviderToken", status: 403, probability: 0.01)],
        DeliveryBehavior(delay: milliseconds(30)),
        tokens: TokenBehavior(
          lifetime: .seconds(120), revoked: [.seconds(10), .seconds(40)], unavailable: 0.1)),
      play: ScenarioRun.tokensAreRevoked),
  ]

  private static func milliseconds(_ count: Int) -> DelayDistribution { .constant(.milliseconds(count)) }

  private static func lognormal(
    _ median: Int, sigma: Double, atMost maximum: Duration = DelayDistribution.longest
  ) -> DelayDistribution {
    DelayDistribution(.lognormal(median: .milliseconds(median), sigma: sigma), maximum: maximum)
  }

  private static func quick(
    answer: Int, errors: [ErrorAnswer] = [], faults: [AnswerFault] = [], _ deliveries: DeliveryBehavior,
    freezes: [ScenarioWindow] = [], tokens: TokenBehavior = TokenBehavior(),
    connections: ConnectionBehavior = ConnectionBehavior(),
    subscriptions: SubscriptionBehavior = SubscriptionBehavior()
  ) -> Scenario {
    Scenario(
      answers: AnswerBehavior(delay: milliseconds(answer), errors: errors, faults: faults),
      deliveries: deliveries, freezes: freezes, tokens: tokens, connections: connections,
      subscriptions: subscriptions)
  }

  /// A service in which something is wrong for a minute every ten minutes.
  private static func minute(
    _ name: String, _ delay: DelayDistribution = milliseconds(50),
    answers: DelayDistribution = milliseconds(5), devices: [String: DeliveryChanges] = [:],
    connections: ConnectionBehavior? = nil,
    _ change: (inout AnswerBehavior, inout DeliveryBehavior) -> Void
  ) -> Scenario {
    var scenario = Scenario(
      answers: AnswerBehavior(delay: answers), deliveries: DeliveryBehavior(delay: delay))
    var (own, way) = (scenario.answers, scenario.deliveries)
    change(&own, &way)
    scenario.episodes = [
      ScenarioEpisode(
        name: name,
        window: ScenarioWindow(from: .seconds(60), length: .seconds(60), every: .seconds(600)), answers: own,
        deliveries: way, devices: devices, connections: connections)
    ]
    return scenario
  }

  private static let bursts: Scenario = {
    var scenario = minute("slow") { $1.delay = milliseconds(150) }
    scenario.deliveries.lost = 0.002
    scenario.episodes[0].deliveries.lost = 0.002
    var burst = scenario.deliveries
    burst.lost = 0.8
    scenario.episodes.insert(
      ScenarioEpisode(
        name: "burst",
        window: ScenarioWindow(from: .seconds(7), length: .seconds(1), every: .seconds(20)),
        answers: scenario.answers, deliveries: burst), at: 0)
    return scenario
  }()

  private static let overload: Scenario = {
    var scenario = quick(
      answer: 3,
      errors: [
        ErrorAnswer(reason: "TooManyRequests", status: 429, probability: 0.005, retryAfter: .seconds(2))
      ], DeliveryBehavior(delay: milliseconds(30)))
    scenario.episodes = [
      ScenarioEpisode(
        name: "overloaded",
        window: ScenarioWindow(from: .seconds(20), length: .seconds(5), every: .seconds(60)),
        answers: AnswerBehavior(
          delay: milliseconds(3),
          errors: [
            ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 1, retryAfter: .seconds(5))
          ]), deliveries: scenario.deliveries)
    ]
    return scenario
  }()

  private static let narrow: Scenario = {
    var scenario = quick(answer: 100, DeliveryBehavior(delay: milliseconds(30)))
    scenario.streamLimit = 100
    scenario.episodes = [
      ScenarioEpisode(
        name: "narrow",
        window: ScenarioWindow(from: .seconds(3), length: .seconds(2), every: .seconds(10)),
        answers: scenario.answers, deliveries: scenario.deliveries, streamLimit: 3)
    ]
    return scenario
  }()

  private static let dialects: Scenario = {
    let answers = lognormal(12, sigma: 0.45, atMost: .seconds(2))
    let deliveries = DeliveryBehavior(delay: lognormal(220, sigma: 0.35))
    func error(
      _ reason: String, _ status: Int, _ probability: Double, retryAfter: Duration? = nil
    ) -> ErrorAnswer {
      ErrorAnswer(reason: reason, status: status, probability: probability, retryAfter: retryAfter)
    }
    func behavior(
      _ delay: DelayDistribution, _ errors: [ErrorAnswer], _ deliveries: DeliveryBehavior
    ) -> ScenarioBehavior {
      ScenarioBehavior(
        answers: AnswerBehavior(delay: delay, errors: errors), deliveries: deliveries)
    }
    let gone = error("Unregistered", 410, 0.01)
    let busy = error("TooManyRequests", 429, 0.005, retryAfter: .seconds(2))
    return Scenario(
      answers: AnswerBehavior(delay: answers), deliveries: deliveries,
      dialects: [
        .apns: behavior(answers, [gone, busy], deliveries),
        .fcm: behavior(
          lognormal(60, sigma: 0.5, atMost: .seconds(5)),
          [
            error("QUOTA_EXCEEDED", 429, 0.01, retryAfter: .seconds(2)), error("UNREGISTERED", 404, 0.005),
            error("INTERNAL", 500, 0.005),
          ], deliveries),
        .webpush: behavior(
          answers, [gone, busy], DeliveryBehavior(delay: milliseconds(400), lost: 0.02)),
        .ntfy: behavior(
          answers, [error("42901", 429, 0.01)], DeliveryBehavior(delay: milliseconds(1))),
      ])
  }()
}
