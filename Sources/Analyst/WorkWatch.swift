import Measurement
import Threads

/// What an analyst said last of its work.
struct WorkWatch: Sendable {
  /// What a part works at.
  struct Work: Sendable, Equatable {
    var part: CollectorPart
    var unit: String
  }

  /// Nothing that is under way takes so long without a word.
  static let limit = Duration.seconds(60)

  private var underWay: [CollectorPart: (unit: String, at: MonotonicTime)] = [:]
  private var heardAt: MonotonicTime
  private var died: Work?

  init(at now: MonotonicTime) { heardAt = now }

  mutating func record(_ line: ProgressLine, at now: MonotonicTime) {
    heardAt = now
    switch line {
    case .beat: break
    case .step(let part, .began(let unit)): underWay[part] = (unit, now)
    case .step(let part, .goesOn): underWay[part]?.at = now
    case .step(let part, .rests): underWay[part] = nil
    case .died(let part, let unit): died = Work(part: part, unit: unit)
    }
  }

  /// The collector was busy with what it was asked for, and heard nothing meanwhile: that is nobody's fault.
  mutating func waited(for time: Duration) {
    heardAt = heardAt + time
    underWay = underWay.mapValues { ($0.unit, $0.at + time) }
  }

  /// Whether it has hung for too long, and which part; `nil` of the part: the process as a whole.
  func hung(at now: MonotonicTime) -> (work: Work?, isHung: Bool) {
    let oldest = underWay.min { ($0.value.at, $0.key.rawValue) < ($1.value.at, $1.key.rawValue) }
    if let oldest, now - oldest.value.at >= Self.limit {
      return (Work(part: oldest.key, unit: oldest.value.unit), true)
    }
    return (nil, now - heardAt >= Self.limit)
  }

  /// What ended the process: what said so itself, or what alone was under way.
  var culprit: Work? {
    if let died { return died }
    guard underWay.count == 1, let work = underWay.first else { return nil }
    return Work(part: work.key, unit: work.value.unit)
  }
}
