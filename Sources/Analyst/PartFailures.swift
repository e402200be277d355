import Measurement
import Threads

/// Which parts failed when, and which of them are switched off because of it. Values only; the supervisor drives it.
struct PartFailures: Sendable {
  private struct Failure: Sendable {
    var unit: String
    var at: MonotonicTime
  }

  /// A part is switched off that fails so often at one unit of work within this time.
  static let limit = 3
  static let period = Duration.minutes(10)
  /// How long it stays off.
  static let rest = Duration.hours(1)

  private var failures: [CollectorPart: [Failure]] = [:]
  /// When each is tried again.
  private(set) var switchedOff: [CollectorPart: MonotonicTime] = [:]

  /// A part failed.
  /// - Returns: whether it is switched off by that.
  mutating func note(_ part: CollectorPart, unit: String, at now: MonotonicTime) -> Bool {
    var recent = (failures[part] ?? []).filter { now - $0.at < Self.period }
    recent.append(Failure(unit: unit, at: now))
    guard recent.count(where: { $0.unit == unit }) >= Self.limit else {
      failures[part] = recent
      return false
    }
    failures[part] = nil
    switchedOff[part] = now + Self.rest
    return true
  }

  /// Switches on those that have rested.
  /// - Returns: those.
  mutating func takeRested(at now: MonotonicTime) -> Set<CollectorPart> {
    let rested = Set(switchedOff.filter { $0.value <= now }.keys)
    for part in rested { switchedOff[part] = nil }
    return rested
  }

  /// Every part is tried again, as at a start.
  mutating func forget() { self = PartFailures() }
}

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

  mutating func take(_ line: ProgressLine, at now: MonotonicTime) {
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
