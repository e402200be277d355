/// The bins of a series in which nothing was wrong, from which its reference is taken.
struct NormalStretches: Sendable, Hashable, Codable {
  /// The normal stretches before findings, ascending.
  private var ended: [Range<Int>] = []
  /// Where the one that goes on began.
  private var start = 0

  /// All up to a bin.
  ///
  /// - Parameter oldest: what lies before is not known any more.
  func all(upTo next: Int, from oldest: Int) -> [Range<Int>] {
    Self.cut(ended + (next > start ? [start..<next] : []), to: oldest..<max(oldest, next))
  }

  /// What the reference is taken from: what is young is left out, since it may belong to a change that is too small to be
  /// seen yet; of a young series its younger half.
  func reference(before next: Int, from oldest: Int, _ settings: DetectorSettings) -> [Range<Int>] {
    let all = ended + (next > start ? [start..<next] : [])
    guard let begin = all.first?.lowerBound else { return [] }
    let warmUp = max(1, settings.bins(settings.warmUp))
    let end = min(
      next, max(next - settings.bins(settings.referenceLag), (begin + next) / 2, begin + warmUp))
    let first = max(end - settings.bins(settings.referenceLength), oldest)
    return Self.cut(all, to: first..<max(first, end))
  }

  /// What the reference of the hours just before is taken from: as much as it takes, older where findings are left out.
  func recent(before next: Int, from oldest: Int, _ settings: DetectorSettings) -> [Range<Int>] {
    let length = settings.bins(settings.recentLength)
    let lag = settings.bins(settings.longestRecentWindow + settings.recentRefresh)
    // Of a young stretch its first hours, so that there is one soon.
    let end = min(next, max(next - lag, min(next, start + length)))
    var rest = length
    var segments: [Range<Int>] = []
    for stretch in Self.cut(
      ended + (end > start ? [start..<end] : []), to: max(oldest, end - 4 * length)..<end
    ).reversed() {
      let part = stretch.suffix(rest)
      rest -= part.count
      segments.append(part)
      if rest <= 0 { break }
    }
    return segments.reversed()
  }

  /// What some stretches have and others have not; both ascend.
  static func difference(_ stretches: [Range<Int>], _ others: [Range<Int>]) -> [Range<Int>] {
    stretches.flatMap { stretch in
      var rest: [Range<Int>] = []
      var next = stretch.lowerBound
      for other in others where other.overlaps(stretch) {
        if other.lowerBound > next { rest.append(next..<other.lowerBound) }
        next = max(next, other.upperBound)
      }
      if next < stretch.upperBound { rest.append(next..<stretch.upperBound) }
      return rest
    }
  }

  private static func cut(_ stretches: [Range<Int>], to range: Range<Int>) -> [Range<Int>] {
    stretches.compactMap {
      let part = $0.clamped(to: range)
      return part.isEmpty ? nil : part
    }
  }

  /// A finding is over: what lies between its start and its end is left out.
  ///
  /// - Parameter oldest: what ended before is forgotten.
  mutating func leaveOut(_ finding: Range<Int>, forgettingBefore oldest: Int) {
    if finding.lowerBound > start { ended.append(start..<finding.lowerBound) }
    ended.removeAll { $0.upperBound <= oldest }
    start = finding.upperBound
  }

  /// Nothing before a bin counts any more: the series behaves differently since.
  mutating func restart(at bin: Int) {
    ended = []
    start = bin
  }
}
