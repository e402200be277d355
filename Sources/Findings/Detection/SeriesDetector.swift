import Measurement

/// The findings of one series from its first seconds on: provisional ones by fine bins in the first hour, by the usual
/// bins until two days are known, calibrated ones from then on.
///
/// Pieces (seconds or minutes of rollups) come in order as they are complete: everything planned in them has its final
/// state, at the latest max(timeout, receipt deadline) + 5 s after their end. The result is a function of the pieces alone:
/// live and afterwards are equal.
public struct SeriesDetector: Sendable {
  /// The version of the detector. Another version judges the same pieces differently, and restores no checkpoint of
  /// this one.
  public static let version = 6

  /// What a restart needs besides the rollups from ``firstBinStart`` on.
  public struct Checkpoint: Sendable, Hashable, Codable {
    fileprivate var usual: ChangeDetector.Checkpoint
    fileprivate var fine: ChangeDetector.Checkpoint?
    /// µs since 1970: the beginnings of the bins that are not complete yet.
    fileprivate var usualStart: Int64?
    fileprivate var fineStart: Int64?
    fileprivate var closedEarly: [Finding]
    /// µs since 1970: pieces that begin before this were looked at.
    public fileprivate(set) var appendedThrough: Int64

    /// µs since 1970: the pieces that a restart needs begin here.
    public var firstBinStart: Int64 {
      [usual.firstBinStart, fine?.firstBinStart, usualStart, fineStart].compactMap { $0 }.min()
        ?? appendedThrough
    }
  }

  private var usual: ChangeDetector
  private var fine: ChangeDetector?
  private var usualBin: BinAccumulator
  private var fineBin: BinAccumulator?
  /// µs since 1970.
  private var appendedThrough = Int64.min

  /// - Parameters:
  ///   - settings: of the usual bins.
  ///   - firstHour: of the bins of the first hour.
  public init(_ metric: SeriesMetric, settings: DetectorSettings, firstHour: DetectorSettings) {
    usual = ChangeDetector(metric, settings: settings)
    fine = ChangeDetector(metric, settings: firstHour)
    usualBin = BinAccumulator(metric, width: settings.binWidth)
    fineBin = BinAccumulator(metric, width: firstHour.binWidth)
  }

  /// - Parameter rate: notifications a second that the target plans.
  public init(_ metric: SeriesMetric, rate: Double) {
    self.init(metric, settings: DetectorSettings(rate: rate), firstHour: .firstHour(rate: rate))
  }

  /// Restores a detector.
  ///
  /// - Parameter pieces: those that were appended, from ``Checkpoint/firstBinStart`` on and before
  ///   ``Checkpoint/appendedThrough``, in any order.
  public init(_ checkpoint: Checkpoint, pieces: [(start: WallTime, values: SeriesValues)]) {
    let metric = checkpoint.usual.metric
    func bins(
      _ settings: DetectorSettings, _ begun: Int64?
    ) -> (complete: [Int64: SeriesValues], begun: BinAccumulator) {
      var complete: [Int64: BinAccumulator] = [:]
      var last = BinAccumulator(metric, width: settings.binWidth, start: begun)
      for piece in pieces where piece.start.microseconds < checkpoint.appendedThrough {
        let at = piece.start.microseconds
        if let begun, at >= begun {
          _ = last.add(piece.values, at: at)
        } else {
          let start = at / settings.binWidth * settings.binWidth
          var bin = complete.removeValue(forKey: start) ?? BinAccumulator(metric, width: settings.binWidth)
          _ = bin.add(piece.values, at: at)
          complete[start] = bin
        }
      }
      return (complete.mapValues { $0.values }, last)
    }
    let (complete, begun) = bins(checkpoint.usual.settings, checkpoint.usualStart)
    usual = ChangeDetector(checkpoint.usual, bins: complete)
    usualBin = begun
    if let checkpointOfFine = checkpoint.fine {
      let (complete, begun) = bins(checkpointOfFine.settings, checkpoint.fineStart)
      fine = ChangeDetector(checkpointOfFine, bins: complete)
      fineBin = begun
    }
    closedEarly = checkpoint.closedEarly
    appendedThrough = checkpoint.appendedThrough
  }

  public var checkpoint: Checkpoint {
    Checkpoint(
      usual: usual.checkpoint, fine: fine?.checkpoint, usualStart: usualBin.start, fineStart: fineBin?.start,
      closedEarly: closedEarly, appendedThrough: appendedThrough)
  }

  /// Those of both, a change found by both once.
  public var findings: [Finding] {
    let later = usual.findings
    let early = (fine?.findings ?? closedEarly).filter { finding in
      !later.contains {
        $0.kind == finding.kind && $0.start < (finding.end ?? .max) && finding.start < ($0.end ?? .max)
      }
    }
    return (early + later + usual.dailyPatterns).sorted {
      ($0.detectedAt, $0.start) < ($1.detectedAt, $1.start)
    }
  }

  /// The findings of the first hour, kept when its detector is gone.
  private var closedEarly: [Finding] = []

  /// Recorded time so far, and how much of it the calibration takes: "learning: 4 min of 2 days". `nil` when it is done.
  public var learning: (age: Duration, of: Duration)? {
    guard !usual.isCalibrated, let after = usual.settings.calibratedAfter else { return nil }
    return (.microseconds(max(usual.age, fine?.age ?? 0)), .microseconds(after))
  }

  /// The smallest changes for the worse that would be found now, none while one is followed; `nil` while too little is known.
  public var power: DetectionPower? {
    guard let early = fine?.power else { return usual.power }
    return usual.power.map(early.joined) ?? early
  }

  /// Whether a change goes on, until whose end no other one is looked for.
  public var isFollowing: Bool { usual.isFollowing || fine?.isFollowing ?? false }

  /// Adopts the instrument's floor of the run that it is in: from the next reference on, a change of a latency by less than
  /// this is not reported, µs.
  public mutating func use(floor: Int64) {
    usual.use(floor: floor)
    fine?.use(floor: floor)
  }

  public var memory: Int { usual.memory + (fine?.memory ?? 0) }

  /// Forgets findings that ended before an instant; they are the store's.
  public mutating func removeFindings(endedBefore time: WallTime) {
    usual.removeFindings(endedBefore: time.microseconds)
    fine?.removeFindings(endedBefore: time.microseconds)
    closedEarly.removeAll { $0.hasEnded(before: time.microseconds) }
  }

  /// The widths of the bins that are in use, µs: the usual ones', and those of the first hour.
  public var binWidths: [Int64] { [usual.settings.binWidth] + (fine.map { [$0.settings.binWidth] } ?? []) }

  /// Appends a complete piece; pieces ascend and are no longer than a bin.
  public mutating func append(_ values: SeriesValues, start: WallTime) {
    let at = start.microseconds
    add(usualBin.add(values, at: at), fineBin?.add(values, at: at) ?? [])
    appendedThrough = max(appendedThrough, at + 1)
  }

  /// Everything planned before an instant is complete; a bin without values counts as well.
  public mutating func complete(through end: WallTime) {
    add(usualBin.complete(through: end.microseconds), fineBin?.complete(through: end.microseconds) ?? [])
    appendedThrough = max(appendedThrough, end.microseconds)
  }

  /// Recording stopped; until the next piece no time passes.
  ///
  /// - Parameter isRunOver: whether the run ended, and provisional findings with it.
  public mutating func pause(isRunOver: Bool = false) {
    add(usualBin.flush(), fineBin?.flush() ?? [])
    guard isRunOver else { return }
    usual.endProvisional()
    fine?.endProvisional()
  }

  private mutating func add(
    _ usualBins: [(start: WallTime, values: SeriesValues)],
    _ fineBins: [(start: WallTime, values: SeriesValues)]
  ) {
    // In the order of their ends, so that the result does not depend on how many are complete at a time.
    var fineBins = fineBins[...]
    for bin in usualBins {
      let end = bin.start.microseconds + usual.settings.binWidth
      while let first = fineBins.first, let width = fine?.settings.binWidth,
        first.start.microseconds + width <= end
      {
        fine?.append(first.values, start: first.start)
        fineBins.removeFirst()
      }
      usual.append(bin.values, start: bin.start)
      endFirstHour()
    }
    for bin in fineBins { fine?.append(bin.values, start: bin.start) }
  }

  private mutating func endFirstHour() {
    // The usual bins have a reference of their own now, and nothing of the first hour is open.
    guard var early = fine, early.age >= 3_600_000_000, usual.hasReference,
      !early.findings.contains(where: \.isOpen) || early.age >= 7_200_000_000
    else { return }
    early.settleOpen()
    closedEarly = early.findings
    fine = nil
    fineBin = nil
  }
}

/// Joins pieces to bins of one width, aligned to multiples of it.
private struct BinAccumulator: Sendable {
  private let width: Int64
  private let isShare: Bool
  /// The start of the bin under way, µs since 1970.
  private(set) var start: Int64?
  private var latencies = LatencyAccumulator()
  private var events = 0
  private var count = 0

  init(_ metric: SeriesMetric, width: Int64, start: Int64? = nil) {
    self.width = width
    self.start = start
    isShare = metric.isShare
  }

  private var isEmpty: Bool { latencies.isEmpty && count == 0 }

  /// - Returns: the bins that are complete when a piece begins.
  mutating func add(_ values: SeriesValues, at time: Int64) -> [(start: WallTime, values: SeriesValues)] {
    let done = complete(through: time)
    if start == nil { start = time / width * width }
    switch values {
    case .latencies(let packed): latencies.add(packed)
    case .share(let more, let all):
      events += more
      count += all
    }
    return done
  }

  /// - Returns: the bins that end at an instant or before.
  mutating func complete(through end: Int64) -> [(start: WallTime, values: SeriesValues)] {
    var done: [(start: WallTime, values: SeriesValues)] = []
    while let begin = start, begin + width <= end {
      done.append((WallTime(microseconds: begin), drain()))
      start = begin + width
    }
    return done
  }

  /// - Returns: the bin begun, as if it were complete.
  mutating func flush() -> [(start: WallTime, values: SeriesValues)] {
    guard let begin = start else { return [] }
    let hasValues = !isEmpty
    let values = drain()
    start = nil
    return hasValues ? [(WallTime(microseconds: begin), values)] : []
  }

  var values: SeriesValues {
    isShare ? .share(events: events, count: count) : .latencies(latencies.packed)
  }

  private mutating func drain() -> SeriesValues {
    defer {
      (events, count) = (0, 0)
      latencies.removeAll()
    }
    return values
  }
}
