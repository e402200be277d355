import Measurement

/// What a daily pattern adds to a latency at its hours, on the days on which it comes.
struct DailyRise: Sendable, Hashable, Codable {
  /// Whether it comes on a day.
  enum Expectation: UInt8, Sendable, Hashable, Codable {
    case comes, staysAway
    /// The one is as usual as the other.
    case either
  }

  /// How it rises, and by how much; ln of factors.
  enum Shape: Sendable, Hashable, Codable {
    /// It comes at once: all of `outer` may be in it, all of `inner` is.
    case box(height: Double, inner: DailyStretch, outer: DailyStretch)
    /// It comes slowly: at the middle of each hour of the day, and between them linearly.
    case hours([Double])
  }

  var shape: Shape
  /// Its hours, and what is beside them that rises with them.
  var stretch: DailyStretch
  /// The days that are over; since 1970.
  var days: [Int: Bool]
  /// What is expected of other days, by their number modulo 7.
  var weekdays: [Expectation]
  /// What either is taken for, and the edges.
  private var side: Bool?

  init(_ shape: Shape, _ stretch: DailyStretch, days: [Int: Bool], weekdays: [Expectation]) {
    self.shape = shape
    self.stretch = stretch
    self.days = days
    self.weekdays = weekdays
  }

  func expectation(on day: Int) -> Expectation {
    days[day].map { $0 ? .comes : .staysAway } ?? weekdays[(day % 7 + 7) % 7]
  }

  func resolved(isDown: Bool) -> DailyRise {
    var result = self
    result.side = !isDown
    return result
  }

  /// The heights by which an instant is raised: the least and the most that is usual.
  ///
  /// - Parameter time: µs since 1970.
  func heights(at time: Int64) -> ClosedRange<Double> {
    let step = Int(time.flooringDivision(by: DailyStretch.step))
    let today = Int(time.flooringDivision(by: DailyStretch.day))
    // One that goes on after midnight is the day's before.
    for day in [today, today - 1, today + 1] {
      let place = step - day * DailyStretch.stepsADay
      guard stretch.reaches(place) else { continue }
      var (low, high): (Double, Double)
      switch shape {
      case .box(let height, let inner, let outer):
        guard outer.reaches(place) else { return 0...0 }
        (low, high) = (inner.reaches(place) ? height : 0, height)
      case .hours(let heights):
        let rest = time - Int64(today) * DailyStretch.day
        high = max(0, DailyProfile.between(heights, at: Double(rest) / 3_600_000_000 - 0.5))
        low = high
      }
      switch expectation(on: day) {
      case .comes: break
      case .staysAway: (low, high) = (0, 0)
      case .either: low = 0
      }
      return side.map { $0 ? high...high : low...low } ?? low...high
    }
    return 0...0
  }

  // MARK: - Days

  /// Whether a pattern comes on the days of the week that begin with a day: as a week and two weeks before, where they agree and where
  /// that was right of late; else either.
  ///
  /// - Parameter days: those that are known, and whether it came.
  static func weekdays(_ days: [Int: Bool], from day: Int) -> [Expectation] {
    func expected(_ day: Int) -> Expectation {
      let votes = [day - 7, day - 14].compactMap { days[$0] }
      guard let first = votes.first, votes.allSatisfy({ $0 == first }) else { return .either }
      return first ? .comes : .staysAway
    }
    let wrong = (day - 7..<day).count { past in
      guard let came = days[past] else { return false }
      return expected(past) == (came ? .staysAway : .comes)
    }
    guard wrong < 2 else { return [Expectation](repeating: .either, count: 7) }
    var result = [Expectation](repeating: .either, count: 7)
    for next in day..<day + 7 { result[(next % 7 + 7) % 7] = expected(next) }
    return result
  }
}

/// How a pattern rises, read from the steps around its stretch on the days on which it came.
struct DailyRiseShape {
  /// A day's steps, relative to the rest of the day; not a number where nothing is known.
  struct Row {
    /// The stretch's median.
    var inside: Double
    /// Whether how much it rises is taken from this day.
    var isRecent: Bool
    /// The values by step, from ``margin`` before the stretch to as far after it.
    var values: [Double]
  }

  /// How many steps before and after the stretch are looked at.
  static let margin = 2 * gap
  private static let gap = DailyPatternSearch.gap
  private static let perHour = DailyStretch.stepsADay / 24

  private let stretch: DailyStretch
  private let rows: [Row]
  /// The median of the recent days by step.
  private let typical: [Double]
  private let beside: Double
  /// The height of the middle of the stretch above what is beside it, ln of the factor; not a number where it is not known.
  let height: Double

  init(_ stretch: DailyStretch, _ rows: [Row]) {
    (self.stretch, self.rows) = (stretch, rows)
    let count = stretch.count
    let recent = rows.filter(\.isRecent)
    typical = (0..<count + 2 * Self.margin).map { step in
      DailyPatternSearch.median(recent.map { $0.values[step] }.filter { !$0.isNaN })
    }
    let around = Array(-Self.margin..<(-2)) + Array(count + 2..<count + Self.margin)
    beside = DailyPatternSearch.median(
      around.map { [typical] in typical[$0 + Self.margin] }.filter { !$0.isNaN })
    height = Self.mean(count > 4 ? 2..<count - 2 : 1..<count - 1, of: typical) - beside
  }

  private static func mean(_ steps: Range<Int>, of typical: [Double]) -> Double {
    let known = steps.map { $0 + margin }.filter(typical.indices.contains).map { typical[$0] }.filter {
      !$0.isNaN
    }
    return known.isEmpty ? .nan : known.reduce(0, +) / Double(known.count)
  }

  private func mean(_ steps: Range<Int>) -> Double { Self.mean(steps, of: typical) }

  // MARK: - At once

  /// Whether a step is in the pattern on all days, or on none.
  private func isSure(_ step: Int, isIn: Bool) -> Bool {
    let part = (typical[step + Self.margin] - beside) / height
    guard isIn ? part >= 0.75 : part <= 0.25 else { return false }
    return rows.allSatisfy { row in
      let value = row.values[step + Self.margin]
      return value.isNaN || (value - beside >= (row.inside - beside) / 2) == isIn
    }
  }

  /// How many steps from an edge on it is not sure, and one more, of which it may have had a part.
  private func width(from edge: Int, by direction: Int, isIn: Bool) -> Int {
    let most = isIn ? min(Self.gap, (stretch.count + 1) / 2) : Self.gap
    return (0..<most).first { isSure(edge + $0 * direction, isIn: isIn) }.map { $0 + 1 } ?? most
  }

  /// The shape of what comes and goes at once; `nil` where it takes so long that the hours show it as well.
  var box: (shape: DailyRise.Shape, stretch: DailyStretch)? {
    let count = stretch.count
    let (before, after) = (width(from: -1, by: -1, isIn: false), width(from: count, by: 1, isIn: false))
    let (begin, end) = (width(from: 0, by: 1, isIn: true), width(from: count - 1, by: -1, isIn: true))
    guard begin + end <= count, max(before + begin, after + end) <= Self.margin - 2 else { return nil }
    let inner = DailyStretch(first: stretch.first + begin, count: count - begin - end)
    let outer = DailyStretch(first: stretch.first - before, count: count + before + after)
    let height = inner.count > 0 ? mean(begin..<count - end) - beside : height
    return (.box(height: height, inner: inner, outer: outer), outer)
  }

  // MARK: - By the hour

  /// What the hours have above the line between the hours beside them.
  var hours: (shape: DailyRise.Shape, stretch: DailyStretch) {
    let first = Int(Int64(stretch.first - Self.gap).flooringDivision(by: Int64(Self.perHour)))
    let last = (stretch.first + stretch.count + Self.gap - 1) / Self.perHour
    func hour(_ hour: Int) -> Double {
      let begin = hour * Self.perHour - stretch.first
      return mean(begin..<begin + Self.perHour)
    }
    let (low, high) = (hour(first - 1), hour(last + 1))
    let line: (from: Double, to: Double) = (low.isNaN ? beside : low, high.isNaN ? beside : high)
    var heights = [Double](repeating: 0, count: 24)
    for place in first...last {
      let part = Double(place - first + 1) / Double(last - first + 2)
      let height = hour(place) - line.from - (line.to - line.from) * part
      heights[(place + 24) % 24] = height.isNaN ? 0 : max(0, height)
    }
    return (
      .hours(heights), DailyStretch(first: first * Self.perHour, count: (last - first + 1) * Self.perHour)
    )
  }
}
