import Glibc

/// Searches days of a latency for the stretch of the day in which it is higher than in the rest of it, and judges whether that is
/// chance.
///
/// Each step of ten minutes is taken relative to its day's median. The stretch is the one that divides the steps' medians over the days
/// best in two. A day shows it where the stretch lies above the rest of the 24 hours around it by the smallest effect that is reported. How
/// often a stretch of that length does so by chance is counted at all hours, on what each day differs from the median of the other days
/// there; from this the probability follows that so many days show it, at some hour.
struct DailyPatternSearch {
  /// What the days say about a stretch.
  struct Evidence: Sendable, Hashable, Codable {
    var stretch: DailyStretch
    /// The days of which it is known whether it came, and those on which it did; since 1970, ascending.
    var known: [Int] = []
    var seen: [Int] = []
    /// The quantile in the rest of the day and in the stretch, medians over the days on which it came, µs.
    var before = 0.0
    var after = 0.0
    /// The 95 % interval of the latter.
    var low: Double?
    var high: Double?
    /// -ln of the probability that chance makes some stretch come on so many days.
    var nats = 0.0
    /// Whether the medians differ by the smallest effect.
    fileprivate var hasEffect = false

    var isOnMostDays: Bool { hasEffect && seen.count * 2 > known.count && known.count >= leastDays }

    /// Whether it is told: unlikely, on most days, and on one of the last two.
    var isPattern: Bool {
      isOnMostDays && nats >= threshold && known.suffix(2).contains { seen.last == $0 }
    }

    /// Whether it changed by the smallest effect, or moved.
    func differs(from other: Evidence, _ settings: DetectorSettings) -> Bool {
      let change = log(1 + settings.smallestEffect)
      let (rise, earlier) = (log(after / before), log(other.after / other.before))
      return stretch != other.stretch || abs(log(after / other.after)) >= change
        || abs(rise - earlier) >= change
    }
  }

  /// A pattern has so many days at least.
  static let leastDays = 4
  /// Chance names a pattern at one midnight of a thousand at most, nats.
  static let threshold = log(1000.0)
  /// How many stretches that do not depend on each other a day has, about, at two quantiles.
  private static let places = 400.0
  /// A day counts that has so many of its steps.
  private static let leastSteps = 96
  /// The lengths of stretches, in steps: half an hour, and so many that a third of the day is left to compare with.
  private static let shortest = 3
  private static let longest = 96
  /// Two patterns are so many steps apart.
  static let gap = 6

  private static let steps = DailyStretch.stepsADay

  private let firstDay: Int
  private let dayCount: Int
  private let settings: DetectorSettings
  /// The quantile by step from the midnight of the first day, ln µs; not a number where it is not known.
  private let values: [Double]
  /// The same less the day's median.
  private let relative: [Double]
  /// The median of the days, by step of the day.
  private let typical: [Double]

  /// - Parameters:
  ///   - days: ascending.
  ///   - quantile: the place in ``DailyPatternWatch/quantiles``.
  /// - Returns: `nil` where there are too few.
  init?(_ days: [DailyPatternWatch.Day], quantile: Int, _ settings: DetectorSettings) {
    let whole = days.filter { $0.levels[quantile].count { $0 >= 0 } >= Self.leastSteps }
    guard whole.count >= Self.leastDays, let first = whole.first?.number, let last = whole.last?.number else {
      return nil
    }
    self.settings = settings
    firstDay = first
    dayCount = last - first + 1
    var values = [Double](repeating: .nan, count: dayCount * Self.steps)
    var relative = values
    for day in whole {
      let begin = (day.number - first) * Self.steps
      let levels = day.levels[quantile]
      let middle = Self.median(levels.filter { $0 >= 0 }.map(Double.init))
      for (step, level) in levels.enumerated() where level >= 0 {
        values[begin + step] = (Double(level) + 0.5) * LogScale.step
        relative[begin + step] = (Double(level) - middle) * LogScale.step
      }
    }
    typical = (0..<Self.steps).map { step in
      let known = (0..<(last - first + 1)).map { relative[$0 * Self.steps + step] }.filter { !$0.isNaN }
      return 2 * known.count >= whole.count ? Self.median(known) : .nan
    }
    self.values = values
    self.relative = relative
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  private static func mask(_ stretches: [DailyStretch]) -> [Bool] {
    var mask = [Bool](repeating: false, count: steps)
    for stretch in stretches {
      for step in stretch.first..<stretch.first + stretch.count { mask[step % steps] = true }
    }
    return mask
  }

  // MARK: - Stretch

  /// The stretch that divides the day best; `nil` where it is not clearly slower.
  ///
  /// - Parameters:
  ///   - known: stretches that are left out, and what is beside them, which is part of them.
  ///   - looked: others that are left out; where what is beside one of them is best, the day has no more.
  func stretch(without known: [DailyStretch], _ looked: [DailyStretch] = []) -> DailyStretch? {
    var known = known
    while let stretch = best(without: known + looked) {
      if isBeside(stretch, looked) { return nil }
      guard isBeside(stretch, known) else { return stretch }
      known.append(stretch)
    }
    return nil
  }

  private func isBeside(_ stretch: DailyStretch, _ others: [DailyStretch]) -> Bool {
    let mask = Self.mask(others)
    return (1...Self.gap).contains {
      mask[(stretch.first - $0 + Self.steps) % Self.steps]
        || mask[(stretch.first + stretch.count + $0 - 1) % Self.steps]
    }
  }

  private func best(without others: [DailyStretch]) -> DailyStretch? {
    let mask = Self.mask(others)
    var total = 0.0
    var count = 0
    for step in 0..<Self.steps where !mask[step] && !typical[step].isNaN {
      total += typical[step]
      count += 1
    }
    var best = (gain: 0.0, stretch: DailyStretch(first: 0, count: 0))
    for first in 0..<Self.steps where !mask[first] && !typical[first].isNaN {
      var (sum, inside) = (0.0, 0)
      for length in 1...Self.longest {
        let step = (first + length - 1) % Self.steps
        if mask[step] { break }
        if typical[step].isNaN { continue }
        sum += typical[step]
        inside += 1
        let outside = count - inside
        guard inside >= Self.shortest, outside >= Self.steps / 6 else { continue }
        let (n, m) = (Double(inside), Double(outside))
        let difference = sum / n - (total - sum) / m
        guard difference > 0 else { continue }
        let gain = difference * difference * n * m
        if gain > best.gain { best = (gain, DailyStretch(first: first, count: length)) }
      }
    }
    let stretch = best.stretch
    guard stretch.count > 0 else { return nil }
    let inside = (0..<stretch.count).map { typical[(stretch.first + $0) % Self.steps] }.filter { !$0.isNaN }
    let sum = inside.reduce(0, +)
    let rise = sum / Double(inside.count) - (total - sum) / Double(max(1, count - inside.count))
    return rise < log(1 + settings.smallestEffect) / 2 ? nil : stretch
  }

  // MARK: - Rise

  /// How a pattern rises on the days on which it comes; `nil` where it is not known, or next to nothing.
  ///
  /// It comes at once where an hour around either edge is enough: there some days have it, and some have not. Otherwise what the
  /// hours have in common is taken, with those beside.
  ///
  /// - Parameters:
  ///   - days: those on which it came; since 1970.
  ///   - first: how much it rises is taken from those from this day on.
  ///   - others: stretches that are left out of the rest of the day.
  func rise(
    of stretch: DailyStretch, on days: Set<Int>, from first: Int, without others: [DailyStretch]
  ) -> (shape: DailyRise.Shape, stretch: DailyStretch)? {
    let mask = Self.mask(others.filter { $0.overlap(stretch) == 0 })
    let rows = levels(of: stretch, mask).filter { days.contains(firstDay + $0.day) }
    let steps = -DailyRiseShape.margin..<stretch.count + DailyRiseShape.margin
    let known = rows.map { row in
      DailyRiseShape.Row(
        inside: row.inside - row.outside, isRecent: firstDay + row.day >= first,
        values: steps.map { step in
          let place = row.day * Self.steps + stretch.first + step
          let isOther = mask[(stretch.first + step + Self.steps) % Self.steps]
          return values.indices.contains(place) && !isOther ? values[place] - row.outside : .nan
        })
    }
    let shape = DailyRiseShape(stretch, known)
    guard shape.height >= log(1 + settings.smallestEffect) / 2 else { return nil }
    return shape.box ?? shape.hours
  }

  // MARK: - Evidence

  /// What the days say about a stretch.
  ///
  /// - Parameter others: stretches that are left out of the rest of the day.
  func evidence(of stretch: DailyStretch, without others: [DailyStretch]) -> Evidence {
    var result = Evidence(stretch: stretch)
    let mask = Self.mask(others.filter { $0.overlap(stretch) == 0 })
    let levels = levels(of: stretch, mask)
    guard !levels.isEmpty else { return result }
    let usual = exp(Self.median(levels.map(\.outside)))
    let effect = log(1 + settings.smallestEffect + Double(settings.floor) / usual)
    let sums = Sums(relative, mask, limit: max(0.4, 1.5 * effect))
    let contrasts = sums.contrasts(of: stretch.first, stretch.count, days: dayCount)
    for (day, contrast) in contrasts.enumerated() where !contrast.isNaN {
      result.known.append(firstDay + day)
      if contrast >= effect { result.seen.append(firstDay + day) }
    }
    let shown = levels.filter { level in result.seen.contains(firstDay + level.day) }
    guard !shown.isEmpty else { return result }
    let inside = shown.map(\.inside).sorted()
    (result.before, result.after) = (exp(Self.median(shown.map(\.outside))), exp(Self.median(inside)))
    result.hasEffect = log(result.after / result.before) >= effect
    // The order statistics that enclose the median with 95 %.
    var place = 0
    while 2 * Self.chance(of: inside.count - place, in: inside.count, 0.5) <= 0.05 { place += 1 }
    if place > 0 { (result.low, result.high) = (exp(inside[place - 1]), exp(inside[inside.count - place])) }
    let share = sums.chance(of: effect, stretch.count, days: dayCount)
    let chance = Self.places * Self.chance(of: result.seen.count, in: result.known.count, share)
    result.nats = -log(max(chance, 1e-30))
    return result
  }

  /// The medians of a stretch and of the rest of the 24 hours around it, day by day, ln µs.
  private func levels(of stretch: DailyStretch, _ mask: [Bool]) -> [(
    day: Int, inside: Double, outside: Double
  )] {
    (0..<dayCount).compactMap { day in
      let begin = day * Self.steps + stretch.first
      let end = begin + stretch.count
      let from = begin + stretch.count / 2 - Self.steps / 2
      var (inside, outside): ([Double], [Double]) = ([], [])
      for step in max(0, from)..<min(values.count, from + Self.steps) where !values[step].isNaN {
        if step >= begin, step < end {
          inside.append(values[step])
        } else if !mask[step % Self.steps] {
          outside.append(values[step])
        }
      }
      guard !inside.isEmpty, !outside.isEmpty else { return nil }
      return (day, Self.median(inside), Self.median(outside))
    }
  }

  /// The probability of so many hits or more.
  private static func chance(of hits: Int, in all: Int, _ share: Double) -> Double {
    guard hits > 0 else { return 1 }
    var term = pow(share, Double(all))
    var sum = 0.0
    for count in stride(from: all, through: hits, by: -1) {
      sum += term
      term *= Double(count) / Double(all - count + 1) * (1 - share) / share
    }
    return min(1, sum)
  }
}

/// Running sums of steps, from which the mean of any stretch follows.
private struct Sums {
  private var sums: [Double]
  private var counts: [Double]
  private static let steps = DailyStretch.stepsADay

  /// - Parameters:
  ///   - mask: by step of the day, what is left out.
  ///   - limit: greater values count as this, so that a single step says little.
  init(_ values: [Double], _ mask: [Bool], limit: Double) {
    (sums, counts) = ([0], [0])
    var (sum, count) = (0.0, 0.0)
    for (step, value) in values.enumerated() {
      if !value.isNaN, !mask[step % Self.steps] {
        sum += min(limit, max(-limit, value))
        count += 1
      }
      sums.append(sum)
      counts.append(count)
    }
  }

  /// The height of a stretch over the rest of the 24 hours around it, day by day; not a number where too little is known.
  func contrasts(of first: Int, _ length: Int, days: Int) -> [Double] {
    let last = sums.count - 1
    return (0..<days).map { day in
      let begin = day * Self.steps + first
      let end = min(last, begin + length)
      let from = max(0, begin + length / 2 - Self.steps / 2)
      let to = min(last, begin + length / 2 + Self.steps / 2)
      guard begin < end, from < to else { return .nan }
      let inside = counts[end] - counts[begin]
      let outside = counts[to] - counts[from] - inside
      guard 3 * inside >= 2 * Double(length), 3 * outside >= Double(Self.steps - length) else { return .nan }
      let sum = sums[end] - sums[begin]
      return sum / inside - (sums[to] - sums[from] - sum) / outside
    }
  }

  /// How often a stretch of a length, at any hour, lies on a day so far above where the other days have it.
  func chance(of effect: Double, _ length: Int, days: Int) -> Double {
    var (hits, all) = (0, 0)
    for first in stride(from: 0, to: Self.steps, by: max(1, length / 2)) {
      let contrasts = contrasts(of: first, length, days: days).filter { !$0.isNaN }.sorted()
      guard contrasts.count > 1 else { continue }
      all += contrasts.count
      // The median of the others.
      let rest = contrasts.count - 1
      for place in contrasts.indices {
        func other(_ index: Int) -> Double { contrasts[index < place ? index : index + 1] }
        if contrasts[place] - (other((rest - 1) / 2) + other(rest / 2)) / 2 >= effect { hits += 1 }
      }
    }
    // Half of them overlap the other half.
    return (Double(hits) / 2 + 1) / (Double(all) / 2 + 2)
  }
}
