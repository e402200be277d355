import Foundation
import TestKit
import Testing

@testable import Configuration

@Suite struct ScenarioTests {
  static let reasons = DialectErrorCatalog([
    .apns: [
      "ServiceUnavailable": 503, "Unregistered": 410, "InternalServerError": 500, "TooManyRequests": 429,
    ],
    .fcm: ["UNAVAILABLE": 503],
  ])

  private static let folder = Programs.repository + "/config/scenarios"

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }.sorted()
  }

  private func parse(_ text: String) throws(ConfigurationError) -> Scenario {
    try Scenario.parse(text, file: "s.yaml", reasons: Self.reasons)
  }

  @Test func readsWhatDialectsAndConnectionsDo() throws {
    let scenario = try parse(
      """
      answers: { delay: 3ms }
      fcm: { answers: { errors: [{ reason: UNAVAILABLE, probability: 1% }] } }
      ntfy:
        keepalive: 2s
        cut_after: 30s
        mute_after: 20s
        requests: { burst: 60, every: 5s }
        deliveries: { lost: 5% }
      webpush: { ping: 1s, close_after: 2s, close_code: 4774, forget_after: 3s, mute_after: 4s, stored: 5 }
      tokens: { lifetime: 2m, least_interval: 0s, revoked: [10s, 40s], unavailable: 10% }
      connections: { dropped: 33% }
      episodes:
        - from: 10s
          for: 5s
          every: 20s
          stream_limit: 3
          answers: { delay: 9ms }
          webpush: { deliveries: { lost: 1 } }
      """)
    #expect(
      scenario.subscriptions
        == SubscriptionBehavior(
          keepalive: .seconds(2), cutAfter: .seconds(30), muteAfter: .seconds(20),
          requests: .init(burst: 60, every: .seconds(5))))
    #expect(
      scenario.agents
        == AgentBehavior(
          ping: .seconds(1), closeAfter: .seconds(2), closeCode: 4774, forgetAfter: .seconds(3),
          muteAfter: .seconds(4), stored: 5))
    #expect(
      scenario.tokens
        == TokenBehavior(
          lifetime: .seconds(120), leastInterval: .zero, revoked: [.seconds(10), .seconds(40)],
          unavailable: 0.1))
    #expect(scenario.connections.dropped == 0.33)
    let fcm = scenario.behavior(of: .fcm, at: .zero)
    #expect(fcm.answers.errors.map(\.status) == [503])
    #expect(fcm.answers.delay == .constant(.milliseconds(3)), "what the section leaves out stays")
    #expect(scenario.behavior(of: .apns, at: .zero).answers.errors.isEmpty)
    // In the episode: what is said for all, on top of what a dialect has of its own.
    #expect(scenario.behavior(of: .fcm, at: .seconds(11)).answers.errors.count == 1)
    #expect(scenario.behavior(of: .fcm, at: .seconds(11)).answers.delay == .constant(.milliseconds(9)))
    #expect(scenario.behavior(of: .webpush, at: .seconds(31)).deliveries.lost == 1)
    #expect(scenario.behavior(of: .ntfy, at: .seconds(31)).deliveries.lost == 0.05)
    #expect(scenario.streamLimit(at: .seconds(31)) == 3)
    #expect(scenario.streamLimit(at: .seconds(35)) == 1000)
    #expect(scenario.nextConnectionChange(after: .seconds(31)) == .seconds(35))
    #expect(scenario.nextConnectionChange(after: .seconds(35)) == .seconds(50))
    #expect(try parse("seed: 1").nextConnectionChange(after: .zero) == nil)
  }

  @Test func readsPathConnectionsAndDevices() throws {
    let scenario = try parse(
      """
      deliveries: { delay: 10ms, lost: 1% }
      ntfy: { deliveries: { delay: 1ms } }
      connections: { dropped: 5%, handshake: 20ms }
      path: { delay: { distribution: uniform, from: 1ms, to: 2ms } }
      devices:
        phone: { deliveries: { delay: 30ms } }
      episodes:
        - { name: far, from: 10s, for: 10s, path: { delay: 80ms } }
        - from: 15s
          for: 10s
          connections: { dropped: 1 }
          path: { delay: 90ms }
          devices:
            phone: { deliveries: { asleep: { for: 3s, every: 4s } } }
            tablet: { deliveries: { lost: 50% } }
      """)
    #expect(scenario.delaysConnections)
    let base = ConnectionBehavior(
      dropped: 0.05, handshake: .constant(.milliseconds(20)),
      path: DelayDistribution(.uniform(from: .milliseconds(1), to: .milliseconds(2))))
    #expect(scenario.connections(at: .seconds(9)) == base)
    var far = base
    far.path = .constant(.milliseconds(80))
    #expect(scenario.connections(at: .seconds(10)) == far)
    far.dropped = 1
    #expect(scenario.connections(at: .seconds(16)) == far, "both change the path: the first one's is taken")
    far.path = .constant(.milliseconds(90))
    #expect(scenario.connections(at: .seconds(21)) == far)
    #expect(scenario.nextConnectionChange(after: .zero) == .seconds(15))
    func deliveries(_ device: String?, _ seconds: Int, _ dialect: ScenarioDialect = .apns) -> DeliveryBehavior
    {
      scenario.behavior(of: dialect, to: device, at: .seconds(seconds)).deliveries
    }
    #expect(deliveries(nil, 16) == scenario.deliveries && deliveries("laptop", 16) == scenario.deliveries)
    #expect(deliveries("phone", 0) == DeliveryBehavior(delay: .constant(.milliseconds(30)), lost: 0.01))
    #expect(deliveries("tablet", 0) == scenario.deliveries)
    #expect(
      deliveries("phone", 16)
        == DeliveryBehavior(
          delay: .constant(.milliseconds(30)), lost: 0.01,
          asleep: .init(length: .seconds(3), every: .seconds(4))))
    #expect(
      deliveries("tablet", 16, .ntfy) == DeliveryBehavior(delay: .constant(.milliseconds(1)), lost: 0.5))
  }

  @Test func aDeviceReceivesWhenItWakes() throws {
    let sleep = try #require(DeliveryBehavior.Sleep(length: .seconds(3), every: .seconds(4)))
    #expect(sleep.wake(.zero) == .seconds(3))
    #expect(sleep.wake(.milliseconds(2999)) == .seconds(3))
    #expect(sleep.wake(.milliseconds(3500)) == .milliseconds(3500))
    #expect(sleep.wake(.seconds(41)) == .seconds(43))
  }

  @Test func ofSeveralEpisodesEachHasWhatItChanges() throws {
    let scenario = try parse(
      """
      answers: { delay: 5ms }
      deliveries: { lost: 1% }
      episodes:
        - { name: a, from: 0s, for: 20s, answers: { delay: 50ms } }
        - { name: b, from: 10s, for: 20s, deliveries: { lost: 30% }, stream_limit: 3 }
        - { name: c, from: 10s, for: 20s, answers: { delay: 70ms }, deliveries: { lost: 40%, duplicated: 5% } }
      """)
    let both = scenario.behavior(of: .fcm, at: .seconds(15))
    #expect(both.answers.delay == .constant(.milliseconds(50)))
    #expect(both.deliveries == DeliveryBehavior(lost: 0.3, duplicated: 0.05))
    #expect(scenario.behavior(of: .fcm, at: .seconds(25)).answers.delay == .constant(.milliseconds(70)))
    #expect(scenario.streamLimit(at: .seconds(15)) == 3)
    #expect(scenario.activeEpisodes(at: .seconds(25)).map(\.name) == ["b", "c"])
  }

  @Test func theBuiltInOneIsTheShippedOne() throws {
    #expect(try Scenario.load(path: "\(Self.folder)/lifelike.yaml", reasons: Self.reasons) == .lifelike)
  }

  @Test func aDemonstrationIsLikeTheBuiltInOneUntilItsSlowMinute() {
    let (usual, shown) = (Scenario.lifelike, Scenario.demonstration)
    #expect(shown.seed == usual.seed && shown.streamLimit == usual.streamLimit)
    // Until the built-in one's first episode.
    for seconds in [0, 10, 19] {
      #expect(
        shown.behavior(of: .apns, at: .seconds(seconds)) == usual.behavior(of: .apns, at: .seconds(seconds)))
    }
    for (seconds, isSlow) in [(20, false), (89, false), (90, true), (149, true), (150, false), (690, true)] {
      let behavior = shown.behavior(of: .apns, at: .seconds(seconds))
      #expect(behavior.answers == usual.answers, "one leg is slow, not two")
      #expect((behavior.deliveries.delay == usual.deliveries.delay) != isSlow)
    }
  }

  @Test func readsEverything() throws {
    let scenario = try parse(
      """
      seed: 7
      stream_limit: 20
      answers:
        delay: 3ms
        errors:
          - { reason: Unregistered, probability: 0.5, retry_after: 90s, delivered: true }
          - { reason: Teapot, status: 418, probability: 1% }
        faults: [{ kind: silence, probability: 2% }, { kind: goaway, probability: 3% }]
      deliveries:
        delay: { distribution: exponential, mean: 1s, at_most: 4s }
        lost: 1%
        duplicated: 0.25
        reordered: { probability: 5%, by: 700ms }
      episodes:
        - { from: 1m, for: 10s, every: 5m, deliveries: { lost: 50% } }
        - { name: calm, from: 0s, for: 1s, answers: { errors: [], faults: [] } }
      freeze: [{ from: 10s, for: 1400ms }, { from: 1h, for: 1s, every: 1h }]
      """)
    var expected = Scenario(seed: 7, streamLimit: 20)
    expected.answers = AnswerBehavior(
      delay: .constant(.milliseconds(3)),
      errors: [
        ErrorAnswer(
          reason: "Unregistered", status: 410, probability: 0.5, retryAfter: .seconds(90), isDelivered: true),
        ErrorAnswer(reason: "Teapot", status: 418, probability: 0.01),
      ],
      faults: [
        AnswerFault(kind: .silence, probability: 0.02),
        AnswerFault(kind: .goaway, probability: 0.03, isDelivered: true),
      ])
    expected.deliveries = DeliveryBehavior(
      delay: DelayDistribution(.exponential(mean: .seconds(1)), maximum: .seconds(4)), lost: 0.01,
      duplicated: 0.25, reordered: .init(probability: 0.05, by: .milliseconds(700)))
    var rush = expected.deliveries
    rush.lost = 0.5
    expected.episodes = [
      ScenarioEpisode(
        name: "episode 1",
        window: ScenarioWindow(from: .seconds(60), length: .seconds(10), every: .seconds(300)),
        answers: expected.answers, deliveries: rush),
      ScenarioEpisode(
        name: "calm", window: ScenarioWindow(from: .zero, length: .seconds(1)),
        answers: AnswerBehavior(delay: .constant(.milliseconds(3))), deliveries: expected.deliveries),
    ]
    expected.freezes = [
      ScenarioWindow(from: .seconds(10), length: .milliseconds(1400)),
      ScenarioWindow(from: .seconds(3600), length: .seconds(1), every: .seconds(3600)),
    ]
    #expect(scenario == expected)
    #expect(scenario.activeEpisodes(at: .seconds(59)).isEmpty)
    #expect(scenario.activeEpisodes(at: .seconds(365)).map(\.name) == ["episode 1"])
    #expect(scenario.activeEpisodes(at: .seconds(370)).isEmpty)
  }

  @Test func readsEveryDistribution() throws {
    func delay(_ text: String) throws -> DelayDistribution.Shape {
      try parse("deliveries: { delay: \(text) }").deliveries.delay.shape
    }
    #expect(try delay("{ distribution: constant, value: 5ms }") == .constant(.milliseconds(5)))
    #expect(
      try delay("{ distribution: uniform, from: 0s, to: 5ms }") == .uniform(from: .zero, to: .milliseconds(5))
    )
    #expect(
      try delay("{ distribution: pareto, minimum: 1s, shape: 1.5 }")
        == .pareto(minimum: .seconds(1), shape: 1.5))
    guard
      case .lognormal(let median, let sigma) = try delay(
        "{ distribution: lognormal, median: 5ms, p99: 20ms }")
    else { throw ConfigurationError(code: .invalid, problems: []) }
    #expect(median == .milliseconds(5))
    #expect(abs(sigma - 0.5959101717284924) < 1e-12)
    #expect(
      try delay("{ distribution: mixture, of: [{ weight: 2, distribution: constant, value: 1s }] }")
        == .mixture([.init(weight: 2, delay: .constant(.seconds(1)))]))
  }

  @Test(arguments: [
    ("answers: { dealy: 5ms }", 1, 12, "answers.dealy", "did you mean \"delay\"?"),
    ("answers:\n  delay: 5", 2, 10, "answers.delay", "unit"),
    ("answers:\n  delay: { median: 5ms }", 2, 10, "answers.delay", "lognormal"),
    (
      "answers:\n  delay: { distribution: lognormall, median: 5ms }", 2, 26, "answers.delay.distribution",
      "lognormal"
    ),
    ("answers:\n  delay: { distribution: lognormal, median: 5ms }", 2, 10, "answers.delay", "sigma: 0.5"),
    (
      "answers:\n  delay: { distribution: lognormal, median: 5ms, sigma: 1, p99: 6ms }", 2, 65,
      "answers.delay.p99", "keep one"
    ),
    (
      "answers:\n  delay: { distribution: lognormal, median: 5ms, p99: 1ms }", 2, 55, "answers.delay.p99",
      "at least 5ms"
    ),
    (
      "answers:\n  delay: { distribution: uniform, from: 5ms, to: 1ms }", 2, 50, "answers.delay.to", "larger"
    ),
    (
      "deliveries:\n  delay:\n    distribution: mixture\n    of:\n      - { distribution: constant, value: 1s }",
      5, 9,
      "deliveries.delay.of[0]", "weight: 1"
    ),
    (
      "deliveries:\n  delay: { distribution: mixture, of: [{ weight: 1, distribution: mixture, of: [] }] }",
      2, 40,
      "deliveries.delay.of[0]", "beside"
    ),
    ("deliveries: { lost: 101% }", 1, 21, "deliveries.lost", "1%"),
    ("deliveries: { reordered: { probability: 1% } }", 1, 26, "deliveries.reordered", "by: 800ms"),
    (
      "answers:\n  errors:\n    - { reason: ServiceUnavailible, probability: 1% }", 3, 17,
      "answers.errors[0].reason", "did you mean \"ServiceUnavailable\"?"
    ),
    (
      "answers:\n  errors:\n    - { reason: 'No \"quotes\"', status: 400, probability: 1% }", 3, 17,
      "answers.errors[0].reason", "letters"
    ),
    (
      "answers:\n  errors: [{ reason: Unregistered, probability: 60% }]\n  faults: [{ kind: reset, probability: 50% }]",
      2, 3, "answers", "lower"
    ),
    (
      "answers: { faults: [{ kind: refuse, probability: 1%, delivered: true }] }", 1, 65,
      "answers.faults[0].delivered", "kind: reset"
    ),
    ("episodes: [{ from: 1s, for: 5s }]", 1, 12, "episodes[0]", "answers, deliveries"),
    ("freeze: { from: 1s, for: 5s, every: 5s }", 1, 37, "freeze.every", "more than 5s"),
    ("freeze: { from: 1s }", 1, 9, "freeze", "for: 5s"),
    ("seed: -1", 1, 7, "seed", "0"),
    ("ntfy: { keepalife: 1s }", 1, 9, "ntfy.keepalife", "did you mean \"keepalive\"?"),
    ("ntfy: { requests: { burst: 5 } }", 1, 19, "ntfy.requests", "every: 5s"),
    ("webpush: { stored: 0 }", 1, 20, "webpush.stored", "1"),
    ("webpush: { close_code: 12 }", 1, 24, "webpush.close_code", "1000"),
    ("webpush: { close_code: 1006 }", 1, 24, "webpush.close_code", "3000 to 4999"),
    ("ntfy: { cut_after: 1ms }", 1, 20, "ntfy.cut_after", "10ms"),
    ("fcm: { keepalive: 1s }", 1, 8, "fcm.keepalive", "answers"),
    (
      "fcm: { answers: { errors: [{ reason: Unregistered, probability: 1% }] } }", 1, 38,
      "fcm.answers.errors[0].reason", "status: 400 to 599"
    ),
    ("tokens: { revoked: [soon] }", 1, 21, "tokens.revoked[0]", "unit"),
    ("tokens: { lifetime: 0s }", 1, 21, "tokens.lifetime", "1s"),
    ("connections: { dropped: often }", 1, 25, "connections.dropped", "1%"),
    ("episodes: [{ from: 1s, for: 5s, stream_limit: -1 }]", 1, 47, "episodes[0].stream_limit", "0"),
    (
      "answers: { faults: [{ kind: goaway_unprocessed, probability: 1%, delivered: true }] }", 1, 77,
      "answers.faults[0].delivered", "kind: reset"
    ),
    ("stream_limit: 0", 1, 15, "stream_limit", "1"),
    ("path: { delay: 5ms, delai: 5ms }", 1, 21, "path.delai", "did you mean \"delay\"?"),
    ("path: { delay: 5 }", 1, 16, "path.delay", "unit"),
    ("path: {}", 1, 7, "path", "delay: 80ms"),
    ("connections: { handshake: soon }", 1, 27, "connections.handshake", "unit"),
    ("connections: { path: 5ms }", 1, 16, "connections.path", "dropped"),
    (
      "devices: { phone: { deliveries: { lost: 1% }, answers: { delay: 5ms } } }", 1, 47,
      "devices.phone.answers", "deliveries"
    ),
    ("devices: { 'my phone': { deliveries: { lost: 1% } } }", 1, 24, "devices.my phone", "hyphens"),
    ("devices: { phone: {} }", 1, 19, "devices.phone", "deliveries: { lost: 20% }"),
    ("deliveries: { asleep: { for: 3s } }", 1, 23, "deliveries.asleep", "every: 4s"),
    ("deliveries: { asleep: { for: 3s, every: 3s } }", 1, 41, "deliveries.asleep.every", "more than 3s"),
    (
      "episodes: [{ from: 1s, for: 5s, devices: { phone: { deliveries: { lots: 1% } } } }]", 1, 67,
      "episodes[0].devices.phone.deliveries.lots", "did you mean \"lost\"?"
    ),
    ("episodes: [{ from: 1s, for: 5s, path: 5ms }]", 1, 39, "episodes[0].path", "delay"),
  ])
  func namesEveryMistakeWithItsPlace(text: String, line: Int, column: Int, key: String, remedy: String) throws
  {
    let error = #expect(throws: ConfigurationError.self) { try parse(text) }
    let problem = try #require(error?.problems.first)
    #expect(problem.place.file == "s.yaml")
    #expect(problem.place.line == line, "\(problem)")
    #expect(problem.place.column == column, "\(problem)")
    #expect(problem.key == key, "\(problem)")
    #expect(problem.remedy.contains(remedy), "\(problem)")
    #expect(error?.problems.count == 1, "\(error?.description ?? "")")
  }

  @Test func namesSeveralMistakesAtOnce() {
    let error = #expect(throws: ConfigurationError.self) {
      try parse("sede: 1\nanswers: { delay: soon }\nfreeze: { from: 1s, for: 0s }")
    }
    #expect(error?.problems.map(\.place.line) == [1, 2, 3])
  }

  @Test func thawsAtTheEndOfAFreeze() {
    let scenario = Scenario(freezes: [
      ScenarioWindow(from: .seconds(10), length: .seconds(2)),
      ScenarioWindow(from: .seconds(12), length: .seconds(1)),
      ScenarioWindow(from: .seconds(100), length: .seconds(5), every: .seconds(50)),
    ])
    #expect(scenario.thaw(.seconds(9)) == .seconds(9))
    #expect(scenario.thaw(.seconds(10)) == .seconds(13), "one freeze runs into the next")
    #expect(scenario.thaw(.milliseconds(12_999)) == .seconds(13))
    #expect(scenario.thaw(.seconds(13)) == .seconds(13))
    #expect(scenario.thaw(.seconds(104)) == .seconds(105))
    #expect(scenario.thaw(.seconds(253)) == .seconds(255))
    #expect(scenario.thaw(.seconds(255)) == .seconds(255))
  }
}
