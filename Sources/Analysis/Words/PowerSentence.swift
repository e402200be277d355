import Findings
import Measurement
public import Store

/// What would have been found where nothing was: silence says how much it is worth.
public struct PowerSentence {
  private let detectors: [DetectorRecord]

  public init(_ detectors: [DetectorRecord]) { self.detectors = detectors }

  /// What would have been found in the selected part of the recordings.
  public init(of series: [WatchedSeries]) {
    self.init(
      series.filter(\.isSelected).map { series in
        var detector = series.detector
        detector.age = series.selected.microseconds
        return detector
      })
  }

  /// `Nothing found in 12 min at 20 notifications a second. This would have been noticed: arriving ×1.5 slower for 40 s or longer,
  /// losses of 5 % for 1 min or longer. Smaller changes are noticed once more is recorded, most of them after two days.`
  ///
  /// Of several targets it is said of the one at which least is seen.
  public var text: String {
    detectors.isEmpty
      ? "Nothing found; no collector watched for changes." : text(after: "Nothing found")
  }

  /// - Parameter opening: what was not found, as a sentence begins.
  public func text(after opening: String) -> String {
    guard !detectors.isEmpty else { return "\(opening)." }
    guard detectors.contains(where: { $0.power != nil }) else {
      return "\(opening). What would have been seen is not known for this store."
    }
    let powers = detectors.map(Self.powers)
    let seeing = zip(detectors, powers).filter { $1.contains { !$0.steps.isEmpty } }
    let ages = seeing.map(\.0.age)
    guard let least = ages.min(), let most = ages.max() else {
      return "\(opening). Nothing could have been seen so far: too little is recorded."
    }
    let lengths = [least, most].map(LengthText.text)
    let rate = seeing.flatMap(\.1).filter { !$0.steps.isEmpty }.map(\.rate).min() ?? 0
    return
      "\(opening) in \(lengths[0])\(lengths[0] == lengths[1] ? "" : " to \(lengths[1])") at \(FrequencyText.sentence(rate)). "
      + "This would have been noticed: \(Self.noticed(seeing.flatMap(\.1)).joined(separator: ", "))."
      + Self.missed(seeing)
      + Self.blind(zip(detectors, powers).filter { !$1.contains { !$0.steps.isEmpty } }.map(\.0))
      + (seeing.contains { $0.0.learning != nil }
        ? " Smaller changes are noticed once more is recorded, most of them after two days." : "")
  }

  /// The names of changes: of a metric's changes of any size, and of a latency's slowdown by so much.
  private static let words: [(metric: SeriesMetric, changes: String, slower: String)] = [
    (.delivery, "slower arrivals", "arriving"), (.accept, "slower answers", "answers"),
    (.lost, "losses", ""), (.failed, "failures", ""), (.refused, "refusals", ""),
    (.display, "slower displays", "showing"), (.unseen, "missing displays", ""),
  ]

  /// `arriving ×1.5 slower for 40 s or longer`, `losses and failures of 5 % for 1 min or longer`.
  private static func noticed(_ powers: [DetectionPower]) -> [String] {
    let all = words.compactMap { words in
      weakest(powers.filter { $0.metric.word == words.metric }).map { (words, $0) }
    }
    var told: Set<String> = []
    return all.compactMap { words, change in
      guard words.metric.isShare else { return "\(words.slower) \(change.size) slower \(change.length)" }
      guard told.insert(change.size + change.length).inserted else { return nil }
      let alike = all.filter { $0.0.metric.isShare && $0.1 == change }.map(\.0.changes)
      return "\(ListText.and(alike)) of \(change.size) \(change.length)"
    }
  }

  /// ` Losses and failures at web would not have been noticed.`: what the list leaves out would pass for seen.
  private static func missed(_ seeing: [(DetectorRecord, [DetectionPower])]) -> String {
    let sets = words.map { words in
      seeing.filter { isMissed(words.metric, $1) }.map { SeriesName.text($0.0.target, $0.0.variant) }
    }
    var told: Set<[String]> = [[]]
    return sets.filter { told.insert($0).inserted }.map { names in
      let changes = ListText.and(zip(words, sets).filter { $1 == names }.map(\.0.changes))
      let place = names.count == seeing.count ? "" : " at \(ListText.namesOrCount(names, of: "target"))"
      return " \(changes.raisedFirst)\(place) would not have been noticed."
    }.joined()
  }

  /// Whether no change of a metric is seen of a detector that looks for some. Targets without receipts have no deliveries.
  private static func isMissed(_ metric: SeriesMetric, _ powers: [DetectionPower]) -> Bool {
    if metric == .display || metric == .unseen, !powers.contains(where: { $0.metric.word == metric }) {
      return false
    }
    let expectsReceipts = powers.contains { $0.metric.word?.needsReceipts ?? false }
    guard expectsReceipts || !metric.needsReceipts else { return false }
    return !powers.contains { $0.metric.word == metric && (!$0.steps.isEmpty || $0.isFollowed == true) }
  }

  /// ` At hook nothing would have been noticed.`
  private static func blind(_ detectors: [DetectorRecord]) -> String {
    guard !detectors.isEmpty else { return "" }
    let names = ListText.namesOrCount(detectors.map { SeriesName.text($0.target, $0.variant) }, of: "target")
    return " At \(names) nothing would have been noticed."
  }

  /// What a detector finds of changes that are no longer than what is recorded: only such can have been there.
  private static func powers(of detector: DetectorRecord) -> [DetectionPower] {
    (detector.power ?? []).map { power in
      var power = power
      power.steps.removeAll { $0.length > detector.age }
      return power
    }
  }

  /// The usual question, answered for the series that answers it worst: of a latency ×1.5, of a share 5 %; the words of size and
  /// length.
  private static func weakest(_ powers: [DetectionPower]) -> (size: String, length: String)? {
    let answers = powers.compactMap { power in
      power.shortest(power.isShare ? 0.05 : 1.5) ?? power.steps.min { $0.size < $1.size }
    }
    guard let isShare = powers.first?.isShare, let largest = answers.map(\.size).max(),
      let longest = answers.map(\.length).max()
    else { return nil }
    // What is more of both is seen at all of them.
    return (
      size(max(largest, isShare ? 0.05 : 1.5), isShare: isShare), "for \(LengthText.text(longest)) or longer"
    )
  }

  /// `×1.5`, `5 %`.
  public static func size(_ size: Double, isShare: Bool) -> String {
    if isShare { return PercentText.given(size) }
    let scaled = Int64((size * 100).rounded())
    let decimals = scaled % 100 == 0 ? 0 : scaled % 10 == 0 ? 1 : 2
    return "×" + FixedPoint.text(scaled, scale: 100, decimals: decimals)
  }
}
