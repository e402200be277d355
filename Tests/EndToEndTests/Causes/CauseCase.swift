import Findings
import Measurement
import TestKit

/// One thing that goes wrong for a few seconds, in the words of a scenario, and what must be said about it.
struct CauseCase: Sendable {
  /// Two services, each a provider of its own.
  enum Service: String, CaseIterable, Sendable {
    case east, west

    /// As ``CauseInstallation`` names it in verdicts.
    var provider: String { "loopback at \(rawValue)" }
  }

  var name: String
  /// What changes at each service during the episode: lines of YAML.
  var changes: [Service: [String]]
  /// Seconds: of each part in which ``changes`` hold, and from one to the next; `nil` for the whole episode.
  var bursts: (length: Double, every: Double)?
  /// Whether the collector is stopped and continued again and again meanwhile.
  var isStalling = false
  /// Each cause with the provider or device that it names; all of them, in any order.
  var expected: [Expectation]

  struct Expectation: Sendable, Hashable, CustomStringConvertible {
    /// In the words of the column `cause`.
    var cause: String
    var scope: String?

    var isDecided: Bool { !cause.hasPrefix("undecided") }
    var description: String { scope.map { "\(cause) \($0)" } ?? cause }
  }

  init(_ name: String, _ changes: [Service: [String]], _ expected: (Cause, String?)...) {
    self.name = name
    self.changes = changes
    self.expected = expected.map { Expectation(cause: $0.0.rawValue, scope: $0.1) }
  }

  private static func both(_ lines: String...) -> [Service: [String]] { [.east: lines, .west: lines] }

  /// Enough for deliveries to be half as slow again, too.
  private static let slowPath = "path: { delay: { distribution: uniform, from: 160ms, to: 240ms } }"

  /// What `make test` plays: a slow provider, a slow path beside a device that loses, and a device that does not show all. They are
  /// played at the same time.
  static let short = all.filter {
    ["slow processing", "two at once", "a device that does not show all"].contains($0.name)
  }

  /// What `make test-long` plays.
  static let all: [CauseCase] = [
    CauseCase(
      "expensive connections",
      [
        .west: [
          "connections: { handshake: { distribution: uniform, from: 300ms, to: 600ms } }",
          "answers: { faults: [{ kind: goaway, probability: 6% }] }",
        ]
      ], (.connecting, Service.west.provider)),
    CauseCase(
      "slow delivery",
      [
        .east: [
          "deliveries: { delay: { distribution: lognormal, median: 700ms, sigma: 0.3, at_most: 1500ms } }"
        ]
      ],
      (.providerDelivery, Service.east.provider)),
    CauseCase("slow path", [.east: [slowPath]], (.path, Service.east.provider)),
    CauseCase(
      "slow processing",
      [.west: ["answers: { delay: { distribution: lognormal, median: 120ms, sigma: 0.4, at_most: 1s } }"]],
      (.providerProcessing, Service.west.provider)),
    CauseCase(
      "losses at a provider", [.east: ["deliveries: { lost: 35% }"]],
      (.providerLoss, Service.east.provider)),
    {
      var bursts = CauseCase(
        "losses in bursts", [.west: ["deliveries: { lost: 90% }"]],
        (.providerLoss, Service.west.provider))
      bursts.bursts = (0.6, 1.2)
      return bursts
    }(),
    CauseCase(
      "throttling",
      [.west: ["answers: { errors: [{ reason: TooManyRequests, probability: 30%, retry_after: 1s }] }"]],
      (.throttled, Service.west.provider)),
    CauseCase(
      "server errors",
      [.east: ["answers: { errors: [{ reason: InternalServerError, probability: 40% }] }"]],
      (.providerErrors, Service.east.provider)),
    CauseCase(
      "a device that sleeps",
      both("devices: { phone: { deliveries: { asleep: { for: 1400ms, every: 1500ms } } } }"),
      (.deviceAsleep, "phone")),
    CauseCase(
      "two at once",
      [
        .east: [slowPath, "devices: { phone: { deliveries: { lost: 40% } } }"],
        .west: ["devices: { phone: { deliveries: { lost: 40% } } }"],
      ], (.path, Service.east.provider), (.device, "phone")),
    {
      var host = CauseCase("a host that stalls", [:], (.host, nil))
      host.isStalling = true
      return host
    }(),
    CauseCase(
      "refused credentials",
      [.east: ["answers: { errors: [{ reason: InvalidProviderToken, probability: 50% }] }"]],
      (.credentials, Service.east.provider)),
    CauseCase(
      "losses on a device", both("devices: { tablet: { deliveries: { lost: 40% } } }"), (.device, "tablet")),
    CauseCase(
      "a slow device", both("devices: { phone: { deliveries: { delay: 700ms } } }"), (.device, "phone")),
    CauseCase(
      "a device that does not show all", both("devices: { tablet: { deliveries: { unseen: 40% } } }"),
      (.display, "tablet")),
    CauseCase(
      "a device that shows late", both("devices: { phone: { deliveries: { shown: 400ms } } }"),
      (.display, "phone")),
    CauseCase("losses everywhere", both("deliveries: { lost: 40% }"), (.receipts, nil)),
    CauseCase("a slow uplink", both(slowPath), (.uplink, nil)),
    CauseCase(
      "failures at one provider", [.west: ["answers: { faults: [{ kind: reset, probability: 40% }] }"]],
      (.undecided(.pathOrProvider), Service.west.provider)),
    CauseCase("connections fail", both("connections: { dropped: 100% }"), (.uplink, nil)),
  ]
}
