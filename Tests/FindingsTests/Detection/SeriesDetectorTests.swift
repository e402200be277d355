import FindingsTestKit
import Foundation
import Measurement
import Testing

@testable import Findings

@Suite struct SeriesDetectorTests {
  private static func seconds(_ time: Int64) -> Double { Double(time - ChangeScenario.Day.epoch) / 1e6 }

  @Test func findsAnEpisodeInTheFirstMinutes() throws {
    let episode = EarlyEvaluation.Episode(start: 90, length: 60, factor: 3)
    let pieces = EarlyEvaluation.pieces(.independent, rate: 20, seconds: 300, seed: 1, episode: episode)
    let finding = try #require(EarlyEvaluation.findings(pieces, rate: 20).first)
    #expect(finding.status == .provisional && finding.kind == .slower && !finding.isOpen)
    #expect(abs(Self.seconds(finding.start) - 90) <= 1)
    #expect(abs(Self.seconds(try #require(finding.end)) - 150) <= 2)
    #expect(Self.seconds(finding.detectedAt) - 90 <= 5)
  }

  /// Where one in a thousand was usual: seen at each of the targets within half a minute of the end of what was lost.
  @Test(arguments: [(20.0, 2, 0.05, 60.0), (40, 1, 0.08, 40), (20, 2, 0.03, 120)])
  func findsLossesOfAYoungSeries(rate: Double, targets: Int, share: Double, length: Double) throws {
    for (metric, target) in [SeriesMetric.lost, .failed, .refused].flatMap({ metric in
      (0..<targets).map { (metric, $0) }
    }) {
      let found = EarlyEvaluation.losses(
        metric, rate: rate, usual: 0.001, seconds: 360 + Int(length) + 30, seed: 2 + target,
        episode: .init(start: 360, length: length, factor: share))
      let finding = try #require(found.first)
      #expect(found.count == 1 && finding.status == .provisional)
      #expect(abs(Self.seconds(finding.start) - 360) <= 10)
      #expect(Self.seconds(finding.detectedAt) <= 360 + length + 30)
      #expect(finding.after >= finding.before + 0.01)
    }
  }

  /// Twenty runs of two targets.
  @Test(arguments: [0.001, 0.01]) func usualLossesOfAYoungSeriesAreNone(share: Double) {
    for seed in 0..<40 {
      #expect(EarlyEvaluation.losses(.lost, rate: 20, usual: share, seconds: 720, seed: seed).isEmpty)
    }
  }

  @Test func findsChangesOfAYoungTightSeries() throws {
    for factor in [0.5, 2] {
      let episode = EarlyEvaluation.Episode(start: 90, length: 60, factor: factor)
      let pieces = EarlyEvaluation.pieces(.tight, rate: 20, seconds: 300, seed: 1, episode: episode)
      let found = EarlyEvaluation.findings(pieces, rate: 20)
      let finding = try #require(found.first)
      #expect(found.count == 1 && finding.kind == (factor > 1 ? .slower : .faster))
      #expect(abs(Self.seconds(finding.start) - 90) <= 1)
      #expect(abs(Self.seconds(try #require(finding.end)) - 150) <= 2)
    }
  }

  @Test func raisesNothingInAnUndisturbedHour() {
    for noise in [EarlyEvaluation.Noise.independent, .spikes] {
      let pieces = EarlyEvaluation.pieces(noise, rate: 2, seconds: 3600, seed: 4)
      #expect(EarlyEvaluation.findings(pieces, rate: 2).isEmpty)
    }
  }

  @Test func saysHowMuchItHasLearned() throws {
    var detector = SeriesDetector(.delivery, rate: 4)
    for piece in EarlyEvaluation.pieces(.independent, rate: 4, seconds: 240, seed: 1) {
      detector.append(piece.values, start: piece.start)
    }
    detector.pause()
    let learning = try #require(detector.learning)
    #expect(learning.age == .seconds(240) && learning.of == .seconds(172_800))
  }

  /// Nobody looks for the end of what was found in the first hour for ever: it is what the usual bins know.
  @Test func whatOutlastsTheFirstHoursIsTheNewNormal() throws {
    let episode = EarlyEvaluation.Episode(start: 400, length: 100_000, factor: 3)
    var detector = SeriesDetector(.delivery, rate: 1)
    for piece in EarlyEvaluation.pieces(.independent, rate: 1, seconds: 7_400, seed: 1, episode: episode) {
      detector.append(piece.values, start: piece.start)
      if Self.seconds(piece.start.microseconds) == 7_000 {
        #expect(try #require(detector.findings.first).isOpen)
      }
    }
    let finding = try #require(detector.findings.first)
    #expect(abs(Self.seconds(finding.start) - 400) <= 8)
    #expect(finding.status == .provisional && finding.isNewNormal && !finding.isOpen && finding.end == nil)
  }

  /// A run's end is the end of what is known of a provisional finding; the next run begins to look anew.
  @Test func aRunsEndEndsWhatIsProvisional() throws {
    let episode = EarlyEvaluation.Episode(start: 200, length: 300, factor: 3)
    let pieces = EarlyEvaluation.pieces(.independent, rate: 4, seconds: 600, seed: 3, episode: episode)
    var detector = SeriesDetector(.delivery, rate: 4)
    for piece in pieces[..<230] { detector.append(piece.values, start: piece.start) }
    detector.pause()
    #expect(detector.findings.map(\.isOpen) == [true])
    detector.pause(isRunOver: true)
    let first = try #require(detector.findings.first)
    #expect(detector.findings.count == 1 && !first.isOpen)
    #expect(Self.seconds(try #require(first.end)) == 230)
    for piece in pieces[230...] { detector.append(piece.values, start: piece.start) }
    let second = try #require(detector.findings.last)
    #expect(detector.findings.count == 2 && Self.seconds(second.start) == 230)
    #expect(abs(Self.seconds(try #require(second.end)) - 500) <= 2)
  }

  /// A share's pieces make bins as well.
  @Test func findsFailures() throws {
    var detector = SeriesDetector(.failed, rate: 4)
    for second in 0..<400 {
      let failing = (200..<260).contains(second)
      detector.append(
        .share(events: failing ? 3 : 0, count: 4),
        start: WallTime(microseconds: ChangeScenario.Day.epoch + Int64(second) * 1_000_000))
    }
    let finding = try #require(detector.findings.first)
    #expect(finding.kind == .failing)
    #expect(abs(Self.seconds(finding.start) - 200) <= 1)
    #expect(abs(Self.seconds(try #require(finding.end)) - 260) <= 2)
  }

  @Test func aRestoredDetectorGoesOnAsIfNothingHadHappened() throws {
    let episode = EarlyEvaluation.Episode(start: 200, length: 60, factor: 3)
    let pieces = EarlyEvaluation.pieces(.independent, rate: 2, seconds: 500, seed: 1, episode: episode)
    func run(_ detector: inout SeriesDetector, _ range: Range<Int>) {
      for piece in pieces[range] { detector.append(piece.values, start: piece.start) }
    }
    var whole = SeriesDetector(.delivery, rate: 2)
    run(&whole, 0..<500)
    #expect(!whole.findings.isEmpty)
    // In the middle of a bin of 2 s and of the usual ones.
    for split in [101, 231, 377] {
      var first = SeriesDetector(.delivery, rate: 2)
      run(&first, 0..<split)
      let data = try JSONEncoder().encode(first.checkpoint)
      let checkpoint = try JSONDecoder().decode(SeriesDetector.Checkpoint.self, from: data)
      let needed = pieces.filter { $0.start.microseconds >= checkpoint.firstBinStart }
      var second = SeriesDetector(checkpoint, pieces: needed)
      run(&second, split..<500)
      #expect(second.findings == whole.findings)
      #expect(second.checkpoint == whole.checkpoint)
    }
  }

  /// A receipt that came late changes rows: the scan from an earlier checkpoint gives what a scan of everything gives.
  @Test func correctionsGiveWhatAScanOfTheRowsGives() throws {
    let episode = EarlyEvaluation.Episode(start: 200, length: 60, factor: 3)
    let recorded = EarlyEvaluation.pieces(.independent, rate: 4, seconds: 400, seed: 2, episode: episode)
    // As corrected, the episode was none.
    let corrected = EarlyEvaluation.pieces(.independent, rate: 4, seconds: 400, seed: 2)
    var live = SeriesDetector(.delivery, rate: 4)
    var checkpoint: SeriesDetector.Checkpoint?
    for (index, piece) in recorded.enumerated() {
      if index == 180 { checkpoint = live.checkpoint }
      live.append(piece.values, start: piece.start)
    }
    let before = live.findings
    #expect(before.count == 1)
    var again = SeriesDetector(try #require(checkpoint), pieces: corrected)
    for piece in corrected[180...] { again.append(piece.values, start: piece.start) }
    var afterwards = SeriesDetector(.delivery, rate: 4)
    for piece in corrected { afterwards.append(piece.values, start: piece.start) }
    #expect(again.findings == afterwards.findings)
    let revision = FindingRevision(stored: before, found: again.findings, from: corrected[180].start)
    #expect(revision.current.isEmpty)
    #expect(revision.withdrawn.map(\.id) == before.map(\.id))
    #expect(revision.withdrawn.allSatisfy { $0.status == .withdrawn })
    let unchanged = FindingRevision(stored: before, found: before, from: corrected[180].start)
    #expect(unchanged.current == before && unchanged.withdrawn.isEmpty)
  }
}
