import FindingsTestKit
import Measurement
import Testing

@testable import Findings

/// What is said of a finding is of its own metric, target and quantile, whatever else changed in its time.
@Suite struct DiagnosisSubjectTests {
  private static let baseline = 1_800.0
  private static let scenarios: [CauseScenario] = [
    .path, .providerDelivery, .deviceAsleep, .receipts, .throttling, .uplinkFailures, .heldBack,
    .stopsShowing, .showsLate,
  ]

  /// The causes that a metric can have: a part of the way that it contains, or its own kind of failure.
  private static func possible(_ metric: SeriesMetric) -> Set<Cause> {
    let answers: Set<Cause> = [
      .host, .uplink, .connecting, .path, .providerProcessing, .throttled, .credentials, .providerErrors,
    ]
    return switch metric {
    case .accept: answers
    case .delivery: answers.union([.providerDelivery, .device, .deviceAsleep])
    case .lost: [.providerLoss, .device, .receipts]
    case .failed: [.uplink]
    case .refused: [.throttled, .credentials, .providerErrors]
    case .display, .unseen: [.display]
    }
  }

  @Test("every cause beside every metric", arguments: scenarios, SeriesMetric.allCases)
  func firstCauseIsOfTheMetricAndTarget(scenario: CauseScenario, metric: SeriesMetric) throws {
    let instance = scenario.make(seed: 2, baseline: Self.baseline)
    let isMine = { (target: EpisodeTarget) in target.provider == instance.provider }
    let targets = [
      instance.episode.targets.first(where: isMine), instance.episode.targets.first { !isMine($0) },
    ]
    for target in targets.compactMap({ $0 }) {
      let quantile = metric.isShare ? nil : 0.9
      let diagnosis = Diagnosis(instance.episode, of: .init(metric, of: target.name, quantile: quantile))
      guard diagnosis.isExplained, let first = diagnosis.verdicts.first else { continue }
      #expect(first.targets.contains(target.name), "\(first)")
      if first.cause.isDecided {
        #expect(Self.possible(metric).contains(first.cause), "\(metric) of \(target.name): \(first)")
      }
      if [Cause.path, .providerProcessing, .providerDelivery, .device].contains(first.cause) {
        #expect(first.evidence.contains(" p90 "), "\(first.evidence)")
      }
    }
  }

  /// Answers of one target rose while deliveries of another provider's were slower for a reason of their own.
  @Test func answersThatRoseAreNotExplainedByAnUnchangedAnswer() throws {
    let slow = CauseScenario.providerDelivery.make(seed: 2, baseline: Self.baseline)
    var episode = slow.episode
    let index = try #require(episode.targets.firstIndex { $0.provider != slow.provider })
    let name = episode.targets[index].name
    for place in episode.targets[index].samples.indices {
      var sample = episode.targets[index].samples[place]
      guard episode.window.contains(sample.plannedAt), let service = sample.service else { continue }
      sample.service = service + 75_000
      sample.delivery = sample.delivery.map { $0 + 75_000 }
      episode.targets[index].samples[place] = sample
    }
    let diagnosis = Diagnosis(episode, of: .init(.accept, of: name, quantile: 0.5))
    let first = try #require(diagnosis.verdicts.first)
    #expect(diagnosis.isExplained && first.targets == [name], "\(diagnosis.verdicts)")
    #expect(first.evidence.hasPrefix("service p50 "), "\(first.evidence)")
    // Of what only deliveries show, nothing explains answers.
    let other = try #require(episode.targets.first { $0.provider == slow.provider })
    let unexplained = Diagnosis(episode, of: .init(.accept, of: other.name, quantile: 0.5))
    #expect(!unexplained.isExplained, "\(unexplained.verdicts)")
  }

  /// Transit that carries most of a rise beside answers that rose, too.
  @Test func answersAreCalledUnchangedOnlyWhereTheyAre() throws {
    let slow = CauseScenario.providerDelivery.make(seed: 2, baseline: Self.baseline)
    var episode = slow.episode
    let name = try #require(episode.targets.first { $0.provider == slow.provider }).name
    func evidence() throws -> String {
      let verdicts = Diagnosis(episode, of: .init(.delivery, of: name, quantile: 0.5)).verdicts
      return try #require(verdicts.first { $0.cause == .providerDelivery }?.evidence, "\(verdicts)")
    }
    #expect(try evidence().contains("accept unchanged ("))
    for index in episode.targets.indices where episode.targets[index].provider == slow.provider {
      for place in episode.targets[index].samples.indices {
        var sample = episode.targets[index].samples[place]
        guard episode.window.contains(sample.plannedAt), let service = sample.service else { continue }
        sample.service = service + 40_000
        sample.delivery = sample.delivery.map { $0 + 40_000 }
        episode.targets[index].samples[place] = sample
      }
    }
    #expect(try evidence().contains("accept p50 "))
  }

  /// The slowest hundredth of the answers alone.
  @Test func aFindingAtP99IsExplainedAtP99() throws {
    var episode = CauseScenario.nothing.make(seed: 2, baseline: Self.baseline).episode
    let provider = "fcm"
    for index in episode.targets.indices where episode.targets[index].provider == provider {
      // One a second: the slowest hundredth is some.
      var samples: [EpisodeSample] = []
      for sample in episode.targets[index].samples {
        for part in 0..<5 {
          var one = sample
          one.plannedAt = sample.plannedAt.advanced(byMicroseconds: Int64(part) * 1_000_000)
          one.isFresh = false
          (one.lag, one.service) = (300, 80_000 + Int64(samples.count % 37) * 100)
          if samples.count % 25 == 0, episode.window.contains(one.plannedAt) { one.service = 900_000 }
          one.delivery = 300 + (one.service ?? 0) + 100_000
          (one.state, one.status) = (.delivered, 200)
          samples.append(one)
        }
      }
      episode.targets[index].samples = samples
    }
    let name = "fcm-A1"
    let tail = Diagnosis(episode, of: .init(.accept, of: name, quantile: 0.99))
    let first = try #require(tail.verdicts.first)
    #expect(tail.isExplained && first.scope == provider, "\(tail.verdicts)")
    #expect(first.evidence.contains("service p99 ") && first.evidence.contains("900 ms"), "\(first.evidence)")
    // So few round trips say nothing of a hundredth of them.
    #expect(first.cause == .undecided(.pathOrProvider))
    #expect(!Diagnosis(episode, of: .init(.accept, of: name, quantile: 0.5)).isExplained)
  }
}
