import FindingsTestKit
import Measurement
import TestKit
import Testing

@testable import Findings

/// What is promised where nothing is found: of changes of the size that is named nine of ten are found, of half that size at most
/// half. `findings promise` of the benchmarks measures it with more seeds.
@Suite struct DetectionPowerTests {
  private static let start = 600.0
  private static let seeds = TestLength.isLong ? 24 : 12
  /// How many changes of the size are found at least, and of half of it at most.
  private static let (least, most) = TestLength.isLong ? (20, 15) : (9, 8)

  private static func power(_ noise: EarlyEvaluation.Noise, rate: Double) -> DetectionPower? {
    var detector = SeriesDetector(.delivery, rate: rate)
    for piece in EarlyEvaluation.pieces(noise, rate: rate, seconds: Int(start), seed: 99) {
      detector.append(piece.values, start: piece.start)
      detector.complete(through: piece.start.advanced(byMicroseconds: 1_000_000))
    }
    return detector.power
  }

  @Test(
    "slower deliveries of a young series",
    arguments: [(20.0, 20.0), (4, 120)] + (TestLength.isLong ? [(20, 60), (4, 60)] : []))
  func aYoungSeriesKeepsItsPromise(rate: Double, length: Double) throws {
    let power = try #require(Self.power(.independent, rate: rate))
    #expect(abs(power.rate - rate) < 0.1 * rate, "\(power)")
    let step = try #require(power.steps.first { Double($0.length) == length * 1e6 }, "\(power)")
    func found(_ factor: Double) -> Int {
      (0..<Self.seeds).count {
        EarlyEvaluation.find(.init(start: Self.start, length: length, factor: factor), rate: rate, seed: $0)
          != nil
      }
    }
    let (all, half) = (found(step.size), found(1 + (step.size - 1) / 2))
    #expect(all >= Self.least, "×\(step.size): \(all) of \(Self.seeds)")
    #expect(half <= Self.most, "×\(1 + (step.size - 1) / 2): \(half) of \(Self.seeds)")
  }

  private struct Established: Sendable {
    var usual: PowerEvaluation.Usual
    /// Seconds between notifications, and of the change.
    var interval: Double
    var length: Int64
  }

  private static let established: [Established] = [
    Established(usual: .latency(.wide), interval: 15, length: 1200),
    Established(usual: .latency(.tight), interval: 15, length: 300),
    Established(usual: .losses(0.01), interval: 15, length: 3600),
    Established(usual: .latency(.narrow), interval: 240, length: 14_400),
  ]

  /// Of a series of two days: many windows lie in a long change, and a short one is in few.
  @Test("changes of an established series", arguments: TestLength.isLong ? established.indices : 0..<2)
  func anEstablishedSeriesKeepsItsPromise(place: Int) throws {
    let series = Self.established[place]
    let evaluation = PowerEvaluation(series.usual, rate: 1 / series.interval, age: 2.2 * 86_400)
    let figures = evaluation.figures(histories: 5, changes: 5, lengths: [series.length * 1_000_000])
    let figure = try #require(figures.first)
    #expect(figure.silent == 0)
    #expect(figure.found >= 21, "\(figure)")
    #expect(figure.foundOfHalf <= 15, "\(figure)")
  }

  /// A tight series of which all values are of one level is found to be slower by what passes that level, not by what equals it.
  @Test func ofTightSeriesALittleMoreThanTheEffectIsPromised() throws {
    let power = try #require(Self.power(.tight, rate: 20))
    let step = try #require(power.steps.first { $0.length == 60_000_000 })
    #expect(step.size > 1.5 && step.size <= 1.6, "\(power)")
  }

  /// What a wander of five minutes will do cannot be known after twelve.
  @Test func nothingIsPromisedOfAYoungSeriesThatWanders() {
    func silent(_ spread: PowerEvaluation.Spread) -> Int {
      let figures = PowerEvaluation(.latency(spread), rate: 1, age: 720)
        .figures(histories: 10, changes: 0, lengths: [300_000_000])
      return figures[0].silent
    }
    #expect(silent(.wandering) >= 9)
    #expect(silent(.wide) <= 2)
  }

  @Test func nothingIsPromisedOfYoungSeriesForLongerThanTheyAre() throws {
    let power = try #require(Self.power(.independent, rate: 20))
    #expect(power.steps.allSatisfy { Double($0.length) <= Self.start * 1e6 })
  }

  @Test("losses of a young series", arguments: [0.001, 0.01])
  func lossesOfAYoungSeriesKeepTheirPromise(usual: Double) throws {
    func detector(_ seed: Int, seconds: Double, _ episode: EarlyEvaluation.Episode? = nil) -> SeriesDetector {
      EarlyEvaluation.lossDetector(
        .lost, rate: 20, usual: usual, seconds: Int(seconds), seed: seed, episode: episode)
    }
    // Each promises by what it has seen of its own series; few promise nothing.
    let promised = (0..<Self.seeds).compactMap { seed in
      detector(seed, seconds: Self.start).power?.steps.first { $0.length == 60_000_000 }.map {
        (seed, $0.size)
      }
    }
    func found(_ part: Double) -> Int {
      promised.count { seed, size in
        !detector(
          seed, seconds: Self.start + 120,
          .init(start: Self.start, length: 60, factor: usual + size * part)
        ).findings.isEmpty
      }
    }
    let (all, half) = (found(1), found(0.5))
    #expect(promised.count * 4 >= Self.seeds * 3)
    #expect(all * Self.seeds >= Self.least * promised.count, "\(all) of \(promised)")
    #expect(half * Self.seeds <= Self.most * promised.count, "\(half) of \(promised)")
  }

  @Test func nothingIsPromisedBeforeThereIsAReferenceOrWhileAChangeIsFollowed() {
    #expect(SeriesDetector(.delivery, rate: 4).power == nil)
    var detector = SeriesDetector(.delivery, rate: 4)
    let episode = EarlyEvaluation.Episode(start: 200, length: 300, factor: 3)
    for piece in EarlyEvaluation.pieces(.independent, rate: 4, seconds: 260, seed: 3, episode: episode) {
      detector.append(piece.values, start: piece.start)
    }
    detector.pause()
    #expect(detector.findings.contains { $0.isOpen })
    #expect(detector.power?.steps == [] && detector.power?.isFollowed == true)
  }

  @Test func largerAndLongerChangesAreSeenAsWell() throws {
    let power = try #require(Self.power(.independent, rate: 20))
    #expect(
      zip(power.steps, power.steps.dropFirst()).allSatisfy { $0.size >= $1.size && $0.length < $1.length })
    #expect(power.shortest(4).map(\.length) ?? .max <= power.shortest(1.75).map(\.length) ?? .max)
    let other = DetectionPower(
      metric: Stored(.delivery), rate: 20, steps: [.init(length: 5_000_000, size: 1.1, delay: 5_000_000)])
    #expect(power.joined(other).steps.first?.size == 1.1 && power.joined(power) == power)
  }
}
