import Measurement
import Store
import Terminal

@testable import TUI

/// A made-up run, the same every time: a lognormal service with a slow episode, some losses, a reconnect.
struct SampleRun {
  var snapshot = Snapshot()

  /// 2025-06-15 14:02:00 UTC.
  static let start = WallTime(microseconds: 1_749_996_120_000_000)

  /// - Parameters:
  ///   - seconds: how long it has been going on.
  ///   - rate: notifications a second and target.
  init(
    seconds: Int = 110, rate: Double = 4, targets: [String] = ["loopback"], phase: RunPhase = .live,
    seed: UInt64 = 1
  ) {
    var generator = SeededGenerator(seed: seed)
    let now = Self.start.advanced(byMicroseconds: Int64(seconds) * 1_000_000)
    snapshot.number = 1
    snapshot.condition = .ready
    snapshot.now = now
    snapshot.monotonicNow = .zero + .seconds(seconds)
    snapshot.run = DisplayedRun(
      id: RunID("01978f5e-2f40-7000-8000-000000000001") ?? RunID(at: now, using: &generator), name: nil,
      startedAt: Self.start, phase: phase)
    for (index, name) in targets.enumerated() {
      let id = TargetID(rawValue: Int64(index + 1))
      snapshot.targets.append(
        DisplayedTarget(id: id, name: name, provider: "loopback", expectsReceipts: true, askedRate: rate))
      var track = PointTrack(target: id)
      var tally = StateCounts()
      var time = 0.0
      while true {
        time += -Double.random(in: 0.0001..<1, using: &generator).logarithm / rate
        guard time < Double(seconds) else { break }
        let point = Self.point(at: time, now: Double(seconds), target: index, &generator)
        tally.add(point)
        track.append(point)
      }
      snapshot.tracks.append(track)
      snapshot.totals.append(tally)
    }
    snapshot.rates = snapshot.tracks.map { RateHistory(of: $0, until: snapshot.edge) }
    addEvents(seconds: seconds)
    addLog(seconds: seconds)
  }

  /// A run in which 2 % never arrive, and nothing does for fifteen seconds.
  static func outage() -> SampleRun {
    var run = SampleRun(rate: 20)
    var track = PointTrack(target: run.snapshot.tracks[0].target)
    var number = 0
    run.snapshot.tracks[0].forEachRun(in: 0..<run.snapshot.tracks[0].count) { points in
      for point in points {
        number += 1
        let seconds = Double(point.plannedAt - start.microseconds) / 1e6
        let isLost = number % 50 == 0 || seconds >= 50 && seconds < 65
        track.append(
          SamplePoint(
            plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
            scheduleLag: 40, acceptLatency: 4_000,
            deliveryLatency: isLost ? nil : point.deliveryLatency ?? 180_000,
            state: isLost ? .lost : .delivered,
            deliveryError: 0))
      }
    }
    run.snapshot.tracks = [track]
    run.snapshot.events = []
    return run
  }

  /// Three days of hours, slow at noon, with losses in one hour.
  static func calendar(_ order: CalendarOrder, of run: RunID) -> CalendarFigures {
    let hour: Int64 = 3_600_000_000
    let first = (start.microseconds / (24 * hour) - 2) * 24 * hour
    let hours = (0..<62).map { place -> CalendarFigures.Hour in
      let ofDay = Int64(place % 24)
      var counts = StateCounts()
      for number in 0..<100 {
        counts.add(place == 31 && number < 3 ? .lost : .delivered, isSent: true, isAccepted: true)
      }
      let slow = max(0, 6 - abs(ofDay - 12))
      return CalendarFigures.Hour(
        start: WallTime(microseconds: first + Int64(place) * hour), p90: 120_000 + slow * 90_000,
        counts: counts)
    }
    return CalendarFigures(order: order, run: run, hours: hours)
  }

  private static func point(
    at time: Double, now: Double, target: Int, _ generator: inout SeededGenerator
  ) -> SamplePoint {
    let plannedAt = start.advanced(byMicroseconds: Int64(time * 1e6))
    let monotonic = Int64(time * 1e6)
    let lag = Int64.random(in: 20...90, using: &generator)
    // Twelve uniform numbers make one that is normal enough.
    let normal = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) } - 6
    let isSlow = time > 62 && time < 74
    let service = Int64((4_000.0 * (1 + 0.3 * normal.magnitude)) * (isSlow ? 8 : 1))
    let median = (isSlow ? 1_600_000.0 : 180_000.0) * (target == 1 ? 2.4 : 1)
    let delivery = Int64(median * exponential(0.45 * normal)) + service
    let fate = Double.random(in: 0..<1, using: &generator)
    var state = NotificationState.delivered
    if fate < 0.012 { state = now - time > 6 ? .lost : .inFlight }
    if fate >= 0.012, fate < 0.017 { state = .rejected }
    if time > 40.2, time < 40.9 { state = .failed }
    if Double(delivery) / 1e6 > now - time { state = .inFlight }
    if state == .delivered, delivery > 4_000_000 { state = .late }
    let isAnswered = state != .rejected && state != .failed
    return SamplePoint(
      plannedAt: plannedAt, plannedMonotonic: monotonic, scheduleLag: lag,
      acceptLatency: isAnswered ? lag + service : nil,
      deliveryLatency: state == .delivered || state == .late ? delivery : nil, state: state,
      deliveryError: state == .delivered || state == .late ? 0 : nil)
  }

  private mutating func addEvents(seconds: Int) {
    let target = snapshot.targets.first?.id
    func event(_ at: Double, _ kind: EventKind, _ sequence: Int64?, _ detail: String, count: Int = 1) -> Event
    {
      Event(
        at: Self.start.advanced(byMicroseconds: Int64(at * 1e6)), kind: kind, target: target,
        connectionID: kind == .lost ? nil : 1, sequence: sequence, count: count, detail: detail)
    }
    let all = [
      event(0.02, .runStarted, nil, "4.0/s, poisson"),
      event(0.06, .connected, nil, "HTTP/2, TLSv1.3, 127.0.0.1:8471"),
      event(0.07, .streamLimitChanged, nil, "1 to 1000"), event(21.4, .lost, 84, "no receipt within 6 s"),
      event(40.2, .goaway, nil, "NO_ERROR, last stream 321"), event(40.3, .failed, 161, "goaway", count: 3),
      event(40.95, .connected, nil, "HTTP/2, TLSv1.3, 127.0.0.1:8471"),
      event(58.2, .rejected, 232, "429 TooManyRequests"), event(77.7, .late, 290, "4.312 s, deadline 4 s"),
      event(88.8, .duplicate, 351, "device sim-1"),
      event(96.1, .forgedReceipt, nil, "wrong MAC\u{1B}[31m from 127.0.0.1", count: 12),
    ]
    snapshot.events = all.filter { $0.at <= snapshot.now }.enumerated().map {
      ListEntry(revision: Int64($0.offset + 1) * 3, row: $0.element)
    }
  }

  private mutating func addLog(seconds: Int) {
    let target = snapshot.targets.first?.id
    let lines: [(Double, LogLine.Level, String, String)] = [
      (0.01, .notice, "collector", "run started: loopback, 4.0/s"),
      (0.03, .debug, "transport", "resolving 127.0.0.1"),
      (0.06, .info, "transport", "connected to 127.0.0.1:8471 in 3.1 ms, HTTP/2 over TLSv1.3"),
      (0.07, .info, "transport", "stream limit 1, raised to 1000 by the first good answer"),
      (
        40.2, .warning, "transport",
        "GOAWAY from 127.0.0.1:8471, last stream 321, no error; reconnecting in 0.6 s"
      ),
      (40.9, .info, "transport", "connected to 127.0.0.1:8471 in 2.8 ms"),
      (58.2, .warning, "transport", "429 TooManyRequests, pausing for 1 s"),
      (88.8, .info, "receipts", "duplicate receipt for 351 from sim-1"),
      (96.1, .error, "receipts", "12 receipts with a wrong MAC from 127.0.0.1 refused"),
    ]
    for second in stride(from: 1, to: seconds, by: 10) {
      let line = LogLine(
        at: Self.start.advanced(byMicroseconds: Int64(second) * 1_000_000), level: .debug, target: target,
        label: "store", message: "committed \(second * 4) rows in 1.\(second % 10) ms")
      snapshot.log.append(ListEntry(revision: Int64(second), row: line))
    }
    for (at, level, label, message) in lines where at < Double(seconds) {
      let line = LogLine(
        at: Self.start.advanced(byMicroseconds: Int64(at * 1e6)), level: level, target: target, label: label,
        message: message)
      snapshot.log.append(ListEntry(revision: 0, row: line))
    }
    snapshot.log.sort { $0.row.at < $1.row.at }
    for index in snapshot.log.indices { snapshot.log[index].revision = Int64(index + 1) * 5 }
  }

  /// Few terms are enough for what is drawn.
  private static func exponential(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    for index in 1..<30 {
      term *= x / Double(index)
      sum += term
    }
    return sum
  }
}

extension Double {
  /// The natural logarithm of a number in 0…1, by bisection of the exponential: the same on every machine.
  fileprivate var logarithm: Double {
    var x = self
    var halvings = 0.0
    while x < 0.5 {
      x *= 2
      halvings += 1
    }
    let y = (x - 1) / (x + 1)
    var power = y
    var sum = 0.0
    for index in stride(from: 1.0, through: 39.0, by: 2) {
      sum += power / index
      power *= y * y
    }
    return 2 * sum - halvings * 0.693147180559945309417
  }
}
