/// The test of windows of up to an hour against the hours just before them.
///
/// A series that goes from one level to another every few hours has no one level in a day: what it does now is compared
/// with what it did just before, too.
struct RecentScan: Sendable {
  /// What a restart needs besides the bins.
  struct State: Sendable, Hashable, Codable {
    var reference: Reference?
    /// Windows do not begin before this bin: what a reference was taken from is not tested against it.
    var begin = 0
    var refreshAt = 0
  }

  /// The largest share of the reference beyond a direction's level at which that direction is tested.
  static let largestShare = 0.03

  private(set) var state = State()
  let layout: ScanLayout
  private var scan: WindowScan?
  private var references: ReferenceBuilder

  init(_ settings: DetectorSettings) {
    layout = ScanLayout(settings, isShare: false, isRecent: true)
    references = ReferenceBuilder(layout, isShare: false)
  }

  /// Restores it.
  init(_ state: State, _ settings: DetectorSettings, of history: BinHistory) {
    self.init(settings)
    self.state = state
    count(history)
  }

  /// Bytes of storage.
  var memory: Int { scan?.memory ?? 0 }

  private mutating func count(_ history: BinHistory) {
    scan = state.reference.map { reference in
      let from = max(history.first, state.begin)
      var scan = WindowScan(reference, layout, startingAt: from)
      scan.append(from..<max(from, history.end), of: history)
      return scan
    }
  }

  /// Counts the bins before `next` that it has not counted, which are several after a finding, and takes the reference again where
  /// it is due.
  mutating func advance(
    to next: Int, of history: BinHistory, normal: NormalStretches, _ settings: DetectorSettings
  ) {
    if let end = scan?.end {
      for bin in end..<max(end, next) { scan?.append(bin, of: history) }
    }
    guard next >= state.refreshAt else { return }
    let segments = normal.recent(before: next, from: history.first, settings)
    state.refreshAt = next + max(1, settings.bins(settings.recentRefresh))
    guard let end = segments.last?.upperBound,
      var reference = references.reference(
        from: segments, of: history, effect: settings.smallestEffect, settings),
      reference.count >= DetectorSettings.leastValues
    else { return }
    state.begin = end
    // Dependence is not known from so few values: where they vary by more than the effect, the day's reference decides.
    let most = Double(reference.count) * Self.largestShare
    guard reference.beyond.prefix(layout.directions).contains(where: { Double($0.count) <= most }) else {
      state.reference = nil
      scan = nil
      return
    }
    references.measureEffects(of: &reference, segments, history)
    state.reference = reference
    count(history)
  }

  /// Everything before is forgotten: the series was found to behave differently, or counts are relative to other hours.
  mutating func reset() {
    state = State()
    scan = nil
    references.reset()
  }

  func leastCounts(alarm: (_ cell: Int) -> Double) -> [[Double]] { scan?.leastCounts(alarm: alarm) ?? [] }

  func sight(of change: WindowScan.Change, leastCounts: [[Double]]) -> WindowScan.Sight {
    scan?.sight(of: change, leastCounts: leastCounts) ?? WindowScan.Sight()
  }

  func raise(
    _ maxima: inout [WindowScan.Maximum], after offset: Int = 0, endingAt end: Int, notBefore: Int
  ) {
    scan?.raise(&maxima, after: offset, endingAt: end, notBefore: max(notBefore, state.begin))
  }
}
