import Analysis
import Findings
import Formats
import Measurement
import Store

/// How long each part of a target's way took while it was slower, and before. What was lost or refused has no latencies that
/// would say why.
struct LegTimes: Sendable {
  /// One side.
  struct Side: Sendable {
    fileprivate(set) var legs: [Leg: [TimedLatency]] = [:]
    /// The number of notifications.
    fileprivate(set) var count = 0
    /// Receipts that came before the provider's answer.
    fileprivate var early = 0
    private var time: Range<WallTime>?

    fileprivate init() {}

    /// - Returns: `nil` where too few have it.
    func interval(of leg: Leg, _ quantile: Quantile) -> QuantileInterval? {
      guard let time, let values = legs[leg] else { return nil }
      var sent = SentTimeAccumulator()
      for value in values { sent.insert(value.plannedAt) }
      return WindowLatencies(sent.time(in: time), samples: values).interval(of: quantile)?.shown(
        for: quantile)
    }

    fileprivate mutating func read(
      _ targets: [TargetID], _ time: Range<WallTime>, _ expectsReceipts: Bool, _ reader: StoreReader,
      where isWanted: (WallTime) -> Bool
    ) throws {
      self.time =
        self.time.map { min($0.lowerBound, time.lowerBound)..<max($0.upperBound, time.upperBound) } ?? time
      for target in targets {
        try reader.forEachSample(of: target, plannedFrom: time.lowerBound, to: time.upperBound) { row in
          guard row.state.isSettled, isWanted(row.plannedAt) else { return }
          if expectsReceipts { addDelivery(row) } else { addAnswer(row) }
        }
      }
      try reader.forEachPing(of: targets, in: time) { ping in
        if isWanted(ping.at) { add(.path, ping.roundTrip, ping.at) }
      }
    }

    private mutating func addAnswer(_ row: borrowing SampleRow) {
      guard let lag = row.scheduleLag, let service = row.serviceTime, let accept = row.acceptLatency else {
        return
      }
      let at = row.plannedAt
      count += 1
      for (leg, value) in [(Leg.lag, lag), (.service, service), (.whole, accept)] { add(leg, value, at) }
    }

    /// Adds the legs of a delivery, unless its latency is known as a limit only.
    private mutating func addDelivery(_ row: borrowing SampleRow) {
      guard let lag = row.scheduleLag, let service = row.serviceTime, let delivery = row.deliveryLatency,
        row.deliveryCertainty != .limit
      else { return }
      let at = row.plannedAt
      let transit = delivery - lag - service
      count += 1
      if transit < 0 { early += 1 }
      let values = [
        (Leg.lag, lag), (.service, service), (.transit, max(0, transit)), (.sentToReceived, delivery - lag),
        (.whole, delivery),
      ]
      for (leg, value) in values { add(leg, value, at) }
    }

    private mutating func add(_ leg: Leg, _ latency: Int64, _ at: WallTime) {
      legs[leg, default: []].append(TimedLatency(plannedAt: at, latency: latency))
    }
  }

  /// The parts in the order of the way, and their sum.
  enum Leg: CaseIterable, Sendable {
    case lag, service, path, transit, sentToReceived, whole
  }

  let before: Side
  let during: Side
  /// Whether receipts are expected; otherwise the way ends with the provider's answer.
  private let expectsReceipts: Bool

  /// Stretches that are read, and notifications of each side of one.
  private static let mostStretches = 12
  private static let mostRows = 5_000.0

  /// Reads single notifications: of each stretch, and of as much time before it.
  ///
  /// - Parameters:
  ///   - stretches: in which it was slower, by start.
  ///   - rate: notifications a second.
  /// - Returns: `nil` where none of them has values.
  /// - Throws: `StoreError`.
  init?(
    _ series: ReportSeries, _ stretches: [ClosedRange<WallTime>], rate: Double, in reader: StoreReader
  ) throws {
    expectsReceipts = series.entries.contains(where: \.target.expectsReceipts)
    let longest = Duration.bounded(seconds: Self.mostRows / max(rate, 0.001))
    let targets = series.entries.map(\.target.id)
    var (before, during) = (Side(), Side())
    for stretch in stretches.suffix(Self.mostStretches) {
      let length = min(longest, max(.microseconds(1), stretch.upperBound - stretch.lowerBound))
      let start = stretch.lowerBound
      try during.read(targets, start..<start + length, expectsReceipts, reader) { _ in
        true
      }
      try before.read(targets, start - length..<start, expectsReceipts, reader) {
        at in
        !stretches.contains { $0.contains(at) }
      }
    }
    (self.before, self.during) = (before, during)
    guard during.count > 0 else { return nil }
  }

  /// The parts that are shown: where many receipts come before the answer, service and transit overlap.
  var shown: [(leg: Leg, title: String)] {
    let overlaps = (before.early + during.early) * 20 > before.count + during.count
    var legs: [(Leg, String)] = [(.lag, "lag")]
    if !overlaps { legs.append((.service, "service")) }
    if !overlaps, before.legs[.path] != nil || during.legs[.path] != nil {
      legs.append((.path, "path (PING)"))
    }
    if expectsReceipts {
      legs.append(overlaps ? (.sentToReceived, "sent to received") : (.transit, "transit"))
    }
    return legs + [(.whole, Metric.judged(expectsReceipts: expectsReceipts).rawValue)]
  }
}

/// The table of them.
struct LegTable {
  let times: LegTimes

  private static let quantiles: [Quantile] = [.p50, .p90]

  var markup: Markup {
    let rows = times.shown.map { leg, title -> Markup in
      let cells = Self.quantiles.map { quantile -> Markup in
        "\(cell(times.before, leg, quantile))\(cell(times.during, leg, quantile))"
      }
      return "<tr><th scope=\"row\">\(title)</th>\(cells)</tr>\n"
    }
    let titles = Self.quantiles.map { quantile -> Markup in
      "<th scope=\"col\">\(quantile.label) before</th><th scope=\"col\">\(quantile.label) during</th>"
    }
    return """
      <h3>Where the time went</h3>
      <p class="soft">Of \(FigureText.grouped(times.during.count)) notifications during what changed, and of \
      \(FigureText.grouped(times.before.count)) in as much time before it. lag: planned to sent. service: sent to the provider’s \
      answer; the round trip of PING is a part of it. transit: answer to receipt.</p>
      <table class="figures legs">
      <thead><tr><th scope="col"><span class="hidden">part</span></th>\(titles)</tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>

      """
  }

  private func cell(_ side: LegTimes.Side, _ leg: LegTimes.Leg, _ quantile: Quantile) -> Markup {
    guard let interval = side.interval(of: leg, quantile) else {
      return side.count == 0 ? "<td>–</td>" : "<td class=\"soft\">n too small</td>"
    }
    guard let low = interval.low, let high = interval.high else {
      let text = FigureText.quantile(interval.value, low: interval.low, high: interval.high)
      return "<td>\(FigureText.unbroken(text))</td>"
    }
    return FigureCell.markup(interval.value, low, high)
  }
}
