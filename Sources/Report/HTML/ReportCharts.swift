import Formats
import Measurement
import Store

/// The charts of a target. All have the same columns of time; none has more shapes than its columns and rows, whatever the
/// number of notifications.
struct ReportCharts {
  let target: ReportTarget
  let time: ReportTime
  /// What people noted, marked on every chart over time.
  let notes: [WallTime]
  /// Stretches of findings, shaded.
  let stretches: [ClosedRange<WallTime>]

  private var columns: TimeColumns { target.timeline.columns }

  /// Rows of the density plot.
  private static let rows = 44
  /// Shades of the density plot.
  static let shades = 6
  /// The part of the scatter plot's height that is for what never arrived.
  private static let strip = 0.06
  /// The part of the strip that any loss takes, so that it can be seen.
  private static let leastLoss = 0.2
  /// The part that latencies take: the label of the uppermost does not touch that of the strip.
  private static let latencyTop = 0.88

  private var latencyAxis: LatencyAxis? {
    let counts = LevelCounts(target.timeline.counts)
    guard let first = counts.first, let last = counts.last else { return nil }
    return .fitting(
      kind: .logarithmic, smallest: Int64(LatencyLevel.edge(first)),
      largest: Int64(LatencyLevel.edge(last + 1).rounded(.up)))
  }

  private static let scatterHeight = 17.0
  private static let bandsHeight = 12.0
  /// The distance between the lines of labels beside one another, in units of the text's size.
  private static let lineHeight = 1.15
  /// The least distance of latencies below a plot.
  private static let labelWidth = 0.07

  /// The most round latencies that are nowhere closer than a distance.
  ///
  /// - Parameter top: the part of the axis' length that latencies take.
  private func latencyTicks(_ axis: LatencyAxis, top: Double = 1, apart least: Double) -> [Chart.Tick] {
    let choices = [10, 7, 5, 4, 3, 2].map { most in
      LatencyTicks.make(for: axis, most: most).map {
        Chart.Tick(axis.position(of: $0.value) * top, $0.label)
      }
    }
    let fitting = choices.first { ticks in
      zip(ticks, ticks.dropFirst()).allSatisfy { $1.position - $0.position >= least }
    }
    return fitting ?? choices[choices.count - 1]
  }

  private var background: [Chart.Layer] {
    var layers: [Chart.Layer] = []
    let boxes = stretches.compactMap { stretch -> Chart.Box? in
      let from = max(0, columns.position(of: stretch.lowerBound))
      let to = min(1, columns.position(of: stretch.upperBound))
      return from < to ? Chart.Box(x: from...to, y: 0...1) : nil
    }
    if !boxes.isEmpty { layers.append(Chart.Layer("stretch", .boxes(boxes))) }
    let positions = notes.map(columns.position(of:)).filter { (0...1).contains($0) }
    if !positions.isEmpty { layers.append(Chart.Layer("note", .verticals(positions))) }
    return layers
  }

  /// Every notification while they are few; else how many there were, and the slowest by name.
  func scatter() -> Chart? {
    guard let axis = latencyAxis else { return nil }
    let counts = target.total.counts
    let top = Self.latencyTop
    func place(_ latency: Int64) -> Double { min(1, max(0, axis.position(of: latency))) * top }
    var layers = background
    if !target.dots.isComplete { layers += density(axis) }
    let gone = goneBoxes
    // Behind dots, which hide one another where many are lost.
    if !gone.isEmpty {
      layers.append(Chart.Layer(target.dots.isComplete ? "gone faint" : "gone", .boxes(gone)))
    }
    var arrived: [Chart.NamedPoint] = []
    var late: [Chart.NamedPoint] = []
    var lost: [Chart.NamedPoint] = []
    for dot in target.dots.dots {
      let x = columns.position(of: dot.plannedAt)
      let name = name(of: dot)
      if let latency = dot.latency {
        let point = Chart.NamedPoint(Chart.Point(x: x, y: place(latency)), name: name)
        if dot.state == .late { late.append(point) } else { arrived.append(point) }
      } else {
        lost.append(Chart.NamedPoint(Chart.Point(x: x, y: 1 - Self.strip / 2), name: name))
      }
    }
    if !arrived.isEmpty { layers.append(Chart.Layer("dot", .namedDots(arrived))) }
    if !late.isEmpty { layers.append(Chart.Layer("dot late", .namedDots(late))) }
    if !lost.isEmpty { layers.append(Chart.Layer("dot gone", .namedDots(lost))) }
    var ticks = latencyTicks(axis, top: top, apart: Self.lineHeight / Self.scatterHeight)
    if counts.withoutLatency > 0 { ticks.append(Chart.Tick(1 - Self.strip / 2, "never")) }
    return Chart(
      label: "\(target.name): \(target.metric.rawValue) latency over time",
      description:
        "Horizontal: when each notification was planned. Vertical, logarithmic: how long it took. "
        + "\(CountText.text(counts.due, "notification")), \(CountText.grouped(counts.withoutLatency)) of them without a latency.",
      height: Self.scatterHeight, xTicks: time.ticks(columns), yTicks: ticks, layers: layers)
  }

  private func name(of dot: NotificationDots.Dot) -> String {
    let civil = time.zone.civil(dot.plannedAt)
    let state = dot.state == .delivered ? "" : ", \(dot.state.title)"
    let latency = dot.latency.map { LatencyText.text($0) } ?? "no latency"
    return "no. \(dot.sequence), \(civil.hoursMinutesSeconds): \(latency)\(state)"
  }

  /// Which share of each column never arrived, of those that have their end: only one in which all did not has full height.
  private var goneBoxes: [Chart.Box] {
    let width = 1 / Double(columns.count)
    return target.timeline.states.enumerated().compactMap { index, counts in
      guard counts.withoutLatency > 0 else { return nil }
      let x = Double(index) * width
      let share = Double(counts.withoutLatency) / Double(max(counts.withoutLatency, counts.settled))
      let bottom = 1 - Self.strip
      return Chart.Box(x: x...x + width, y: bottom...bottom + Self.strip * max(Self.leastLoss, share))
    }
  }

  private func density(_ axis: LatencyAxis) -> [Chart.Layer] {
    let width = 1 / Double(columns.count)
    var cells = Array(repeating: 0, count: columns.count * Self.rows)
    for column in 0..<columns.count {
      for (level, count) in target.timeline.counts(in: column..<column + 1).enumerated() where count > 0 {
        guard let row = axis.row(of: LatencyLevel.middle(level), rows: Self.rows) else { continue }
        cells[column * Self.rows + row] += count
      }
    }
    let highest = cells.max() ?? 0
    var boxes: [[Chart.Box]] = Array(repeating: [], count: Self.shades)
    let height = Self.latencyTop / Double(Self.rows)
    for column in 0..<columns.count {
      var row = 0
      while row < Self.rows {
        let shade = Self.shade(cells[column * Self.rows + row], of: highest)
        var next = row + 1
        while next < Self.rows, Self.shade(cells[column * Self.rows + next], of: highest) == shade {
          next += 1
        }
        if let shade {
          let x = Double(column) * width
          boxes[shade].append(Chart.Box(x: x...x + width, y: Double(row) * height...Double(next) * height))
        }
        row = next
      }
    }
    return boxes.enumerated().filter { !$0.element.isEmpty }.map {
      Chart.Layer("d d\($0.offset)", .boxes($0.element))
    }
  }

  /// Logarithmic, so that single notifications are seen beside thousands; `nil` for none.
  private static func shade(_ count: Int, of highest: Int) -> Int? {
    guard count > 0 else { return nil }
    guard highest > 1 else { return shades - 1 }
    var bits = 0
    while count >> (bits + 1) > 0 { bits += 1 }
    var most = 0
    while highest >> (most + 1) > 0 { most += 1 }
    return min(shades - 1, bits * shades / (most + 1))
  }
}

extension ReportCharts {
  /// Quantiles of latencies over time.
  struct Bands {
    let chart: Chart
    /// The length of a step.
    let step: Duration
    /// Whether p99 is left out of some steps.
    let hasGaps: Bool
  }

  /// Values that a step should have on average.
  private static let valuesOfStep = 150
  /// Values below which a step has no p99: fewer than one would be above it.
  static let valuesForP99 = 100
  private static let valuesForP50 = 8

  /// - Returns: `nil` where no two steps beside each other have enough values to draw.
  func bands() -> Bands? {
    let timeline = target.timeline
    guard let axis = latencyAxis else { return nil }
    let total = LevelCounts(timeline.counts).total
    let steps = min(80, max(8, total / Self.valuesOfStep))
    let factor = columns.factor(atMost: steps)
    let merged = columns.merged(by: factor)
    var middle: [[Chart.Point]] = [[]]
    var inner: [(lower: [Chart.Point], upper: [Chart.Point])] = [([], [])]
    var outer: [(lower: [Chart.Point], upper: [Chart.Point])] = [([], [])]
    var hasGaps = false
    for step in 0..<merged.count {
      let counts = LevelCounts(timeline.counts(in: step * factor..<(step + 1) * factor))
      let x = (Double(step) + 0.5) * (merged.width / columns.length)
      func point(_ quantile: Quantile) -> Chart.Point? {
        counts.value(quantile).map { Chart.Point(x: min(1, x), y: axis.position(of: $0)) }
      }
      guard counts.total >= Self.valuesForP50, let p50 = point(.p50), let p90 = point(.p90) else {
        if middle.last?.isEmpty == false {
          middle.append([])
          inner.append(([], []))
        }
        if outer.last?.lower.isEmpty == false { outer.append(([], [])) }
        if counts.total > 0 { hasGaps = true }
        continue
      }
      middle[middle.count - 1].append(p50)
      inner[inner.count - 1].lower.append(p50)
      inner[inner.count - 1].upper.append(p90)
      if counts.total >= Self.valuesForP99, let p99 = point(.p99) {
        outer[outer.count - 1].lower.append(p90)
        outer[outer.count - 1].upper.append(p99)
      } else {
        hasGaps = true
        if outer.last?.lower.isEmpty == false { outer.append(([], [])) }
      }
    }
    guard middle.contains(where: { $0.count > 1 }) else { return nil }
    let chart = Chart(
      label: "\(target.name): median, p90 and p99 of \(target.metric.rawValue) latency over time",
      description: "Horizontal: time in steps. Vertical, logarithmic: latency of half, of 90 % and of 99 %.",
      height: Self.bandsHeight, xTicks: time.ticks(columns),
      yTicks: latencyTicks(axis, apart: Self.lineHeight / Self.bandsHeight),
      layers: background + [
        Chart.Layer("outer", .areas(outer.filter { !$0.lower.isEmpty })),
        Chart.Layer("inner", .areas(inner.filter { !$0.lower.isEmpty })),
        Chart.Layer("median", .lines(middle.filter { !$0.isEmpty })),
      ])
    return Bands(chart: chart, step: merged.width, hasGaps: hasGaps)
  }

  /// The states that the loss chart stacks, from below.
  static let losses: [NotificationState] = [.lost, .late, .failed, .rejected, .missed, .interrupted]

  /// The share of due notifications that did not end well, over time, by state. `nil` where all did.
  func loss() -> (chart: Chart, step: Duration)? {
    let all = target.total.counts
    guard Self.losses.contains(where: { all[$0] > 0 }) else { return nil }
    let steps = min(80, max(8, all.due / 40))
    let factor = columns.factor(atMost: steps)
    let merged = columns.merged(by: factor)
    let states = target.timeline.states(mergedBy: factor)
    let width = merged.width / columns.length
    func share(_ counts: StateCounts) -> Double {
      counts.due > 0 ? Double(Self.losses.reduce(0) { $0 + counts[$1] }) / Double(counts.due) : 0
    }
    let highest = states.map(share).max() ?? 0
    let top = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].first { $0 >= highest } ?? 1
    var boxes: [NotificationState: [Chart.Box]] = [:]
    for (step, counts) in states.enumerated() where counts.due > 0 {
      let from = width * Double(step)
      let to = min(1, width * Double(step + 1))
      var low = 0.0
      for state in Self.losses where counts[state] > 0 {
        let high = low + Double(counts[state]) / Double(counts.due) / top
        boxes[state, default: []].append(Chart.Box(x: from...max(from, to), y: low...max(low, min(1, high))))
        low = high
      }
    }
    let ticks = [0, 0.5, 1].map { Chart.Tick($0, PercentText.given($0 * top)) }
    let chart = Chart(
      label:
        "\(target.name): share of what \(GoodOutcome(ofTargetsExpectingReceipts: [target.expectsReceipts]).opposite), over time",
      description:
        "Horizontal: time in steps. Vertical: share of the notifications planned in a step, from 0 to \(ticks[2].label).",
      height: 8, xTicks: time.ticks(columns), yTicks: ticks,
      layers: background
        + Self.losses.compactMap { state in boxes[state].map { Chart.Layer("s-\(state.name)", .boxes($0)) } })
    return (chart, merged.width)
  }

  /// How often each latency occurred, with quantiles.
  func histogram() -> Chart? {
    guard let axis = latencyAxis else { return nil }
    let counts = target.timeline.counts
    let known = LevelCounts(counts)
    guard let first = known.first, let last = known.last, known.total > 0 else { return nil }
    // As many bars as the eye takes in; few values need broad ones.
    let bars = min(90, max(12, Int(3 * Double(known.total).squareRoot())))
    let group = max(1, (last - first + bars) / bars)
    func place(_ value: Double) -> Double {
      min(1, max(0, axis.position(of: Int64(max(1, value).rounded()))))
    }
    var heights: [(x: ClosedRange<Double>, count: Int)] = []
    for start in stride(from: first, through: last, by: group) {
      let count = counts[start..<min(counts.count, start + group)].reduce(0, +)
      let (from, to) = (place(LatencyLevel.edge(start)), place(LatencyLevel.edge(start + group)))
      if count > 0, from < to { heights.append((from...to, count)) }
    }
    let highest = Double(heights.map(\.count).max() ?? 1)
    let boxes = heights.map { Chart.Box(x: $0.x, y: 0...Double($0.count) / highest) }
    let figures = (target.latencies?.figures ?? []).compactMap { figure in
      figure.estimate.known.map { (figure.quantile, $0) }
    }.filter { [Quantile.p50, .p90, .p99].contains($0.0) }
    let intervals = figures.map {
      Chart.Box(x: place(Double($0.1.low))...max(place(Double($0.1.low)), place(Double($0.1.high))), y: 0...1)
    }
    var chart = Chart(
      label: "\(target.name): distribution of \(target.metric.rawValue) latency",
      description:
        "Horizontal, logarithmic: latency. Vertical: how many of \(CountText.text(known.total, "notification")) took that long.",
      height: 9, xTicks: latencyTicks(axis, apart: Self.labelWidth), yTicks: [],
      layers: [
        Chart.Layer("interval", .boxes(intervals)), Chart.Layer("bar", .boxes(boxes)),
        Chart.Layer("quantile", .verticals(figures.map { place(Double($0.1.value)) })),
      ])
    chart.topTicks = figures.map { Chart.Tick(place(Double($0.1.value)), $0.0.label) }
    return chart
  }
}

extension StateCounts {
  /// Those that ended without arriving: lost, rejected, failed, missed, interrupted.
  var withoutLatency: Int {
    self[.lost] + self[.rejected] + self[.failed] + self[.missed] + self[.interrupted]
  }
}
