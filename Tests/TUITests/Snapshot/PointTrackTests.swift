import Measurement
import Store
import Testing

@testable import TUI

@Suite("A track of points")
struct PointTrackTests {
  static func point(_ sequence: Int64, state: NotificationState = .delivered) -> SamplePoint {
    SamplePoint(
      plannedAt: WallTime(microseconds: sequence * 1_000), plannedMonotonic: sequence * 1_000, scheduleLag: 5,
      acceptLatency: sequence, deliveryLatency: nil, state: state)
  }

  static func track(_ sequences: ClosedRange<Int64>) -> PointTrack {
    var track = PointTrack(target: TargetID(rawValue: 1), firstSequence: sequences.lowerBound)
    for sequence in sequences { track.append(point(sequence)) }
    return track
  }

  @Test("holds what a plain array holds, through any changes")
  func model() {
    var generator = SeededGenerator(seed: 3)
    var track = PointTrack(target: TargetID(rawValue: 1))
    var model: [(sequence: Int64, point: SamplePoint)] = []
    var next: Int64 = 1
    for _ in 0..<400 {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0..<6:
        for _ in 0..<Int.random(in: 1...900, using: &generator) {
          track.append(Self.point(next))
          model.append((next, Self.point(next)))
          next += 1
        }
      case 6, 7:
        guard let picked = model.randomElement(using: &generator) else { continue }
        let changed = Self.point(picked.sequence, state: .late)
        #expect(track.update(sequence: picked.sequence, to: changed) == picked.point)
        model[Int(picked.sequence - model[0].sequence)].point = changed
      default:
        track.dropFirst(keeping: 5_000)
        #expect(track.count < 5_000 + PointTrack.chunkSize)
        model.removeFirst(model.count - track.count)
      }
      #expect(track.count == model.count)
      if let first = model.first { #expect(track.firstSequence == first.sequence) }
      #expect(track.endSequence == next)
    }
    #expect((0..<track.count).allSatisfy { track[$0] == model[$0].point })
    #expect(track.update(sequence: track.firstSequence - 1, to: Self.point(1)) == nil)
    #expect(track.update(sequence: next, to: Self.point(1)) == nil)
  }

  @Test("ranges of time become runs of neighbors")
  func ranges() {
    let track = Self.track(101...10_100)
    let range = track.range(from: WallTime(microseconds: 200_500), to: WallTime(microseconds: 8_000_000))
    #expect(range == 100..<7_899)
    var seen: [Int64] = []
    track.forEachRun(in: range) { run in seen.append(contentsOf: run.map(\.plannedMonotonic)) }
    #expect(seen == (201..<8_000).map { $0 * 1_000 })
    #expect(track.range(from: WallTime(microseconds: 0), to: WallTime(microseconds: 1)).isEmpty)
  }

  @Test("points that a clock which was ahead had planned lie where they were sent, and newer ones are found")
  func setBack() {
    let hour: Int64 = 3_600_000_000
    func point(_ sequence: Int64, state: NotificationState = .delivered) -> SamplePoint {
      let point = Self.point(sequence, state: state)
      return (2_001...2_700).contains(sequence) ? point.planned(at: point.plannedAt + hour) : point
    }
    var track = PointTrack(target: TargetID(rawValue: 1))
    for sequence in Int64(1)...2_700 { track.append(point(sequence)) }
    #expect(track[2_000].plannedAt == 2_001_000 + hour)
    for sequence in Int64(2_701)...4_000 { track.append(point(sequence)) }
    #expect((0..<4_000).allSatisfy { track[$0].plannedAt == Int64($0 + 1) * 1_000 })
    let range = track.range(from: WallTime(microseconds: 2_000_500), to: WallTime(microseconds: 3_000_500))
    #expect(range == 2_000..<3_000)
    _ = track.update(sequence: 2_500, to: point(2_500, state: .late))
    #expect(track[2_499].state == .late && track[2_499].plannedAt == 2_500_000)
  }

  @Test("a clock that is set back while what was before stays in memory: all in the order of planned time")
  func setBackInMemory() {
    var track = Self.track(1...1_000)
    // A suspended host: its monotonic clock stood still for 5 s, so that what lies before is as it was.
    for sequence in Int64(1_001)...1_100 {
      track.append(Self.point(sequence).planned(at: sequence * 1_000 + 5_000_000))
    }
    // Set back by 4.99 s: the first of them would lie before what was planned before.
    for sequence in Int64(1_101)...1_200 {
      track.append(Self.point(sequence).planned(at: sequence * 1_000 + 10_000))
    }
    let times = (0..<1_200).map { track[$0].plannedAt }
    #expect(times == times.sorted())
    #expect(times[999] == 1_000_000 && times[1_000] == 1_011_000 && times[1_100] == 1_111_000)
    // By a day: everything.
    track.append(Self.point(1_201).planned(at: 1_201_000 - 86_400_000_000))
    #expect(
      track[0].plannedAt == 1_000 - 86_400_000_000 && track[1_199].plannedAt == 1_200_000 - 86_400_000_000)
  }

  @Test("a copy does not see later changes")
  func copies() {
    var track = Self.track(1...5_000)
    let copy = track
    _ = track.update(sequence: 77, to: Self.point(77, state: .lost))
    track.append(Self.point(5_001))
    #expect(copy[76].state == .delivered && copy.count == 5_000)
    #expect(track[76].state == .lost)
  }

  @Test("a point keeps what it was made of")
  func point() {
    let whole = SamplePoint(
      plannedAt: WallTime(microseconds: 7), plannedMonotonic: 8, scheduleLag: 40, acceptLatency: 900,
      deliveryLatency: 2_000, state: .delivered, path: 321)
    #expect(
      whole.value(of: .accept) == 900 && whole.value(of: .delivery) == 2_000
        && whole.value(of: .service) == 860 && whole.value(of: .path) == 321)
    let bare = SamplePoint(
      plannedAt: WallTime(microseconds: 7), plannedMonotonic: 8, scheduleLag: nil, acceptLatency: nil,
      deliveryLatency: nil, state: .missed)
    #expect(Metric.allCases.allSatisfy { bare.value(of: $0) == nil } && !bare.isSent)
    #expect(MemoryLayout<SamplePoint>.stride == 56)
  }
}
