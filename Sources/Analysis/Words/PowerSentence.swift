import Findings
import Measurement
public import Store

/// What would have been found where nothing was: silence says how much it is worth.
public struct PowerSentence {
  private let detectors: [DetectorRecord]

  public init(_ detectors: [DetectorRecord]) { self.detectors = detectors }

  /// `Nothing found. In the recorded 12 min at 20 notifications a second this would have been noticed: arriving ×1.5 slower for 40 s
  /// or longer, losses of 5 % for 1 min or longer. Smaller changes are noticed only after two days of recording.`
  ///
  /// Of several targets it is said of the one at which least is seen.
  public var text: String {
    guard !detectors.isEmpty else { return "Nothing found; no collector watched for changes." }
    return "Nothing found. \(seen)"
  }

  /// The same without that nothing was found: `In the recorded 12 min at 20 notifications a second this would
  /// have been noticed: …`.
  public var seen: String {
    guard !detectors.isEmpty else { return "" }
    guard detectors.contains(where: { $0.power != nil }) else {
      return "What would have been seen is not known for this store."
    }
    let blind = detectors.filter { Self.powers(of: $0).isEmpty }
    let names = FindingSentence.list(
      blind.map { SeriesName.text($0.target, $0.variant) })
    let seeing = detectors.filter { !Self.powers(of: $0).isEmpty }
    guard let age = seeing.map(\.age).min() else {
      return "Nothing could have been seen so far: too little is recorded."
    }
    let powers = seeing.flatMap(Self.powers)
    let rate = powers.map(\.rate).min() ?? 0
    let parts = Self.metrics.compactMap { metric, words in
      weakest(powers.filter { $0.metric.word == metric }, words)
    }
    // What the list leaves out would pass for seen.
    let unseen =
      Self.unseen(seeing, isShare: false, "A slowdown")
      + Self.unseen(seeing, isShare: true, "Losses and failures")
    let isYoung = seeing.contains { $0.learning != nil }
    return
      "In the recorded \(LengthText.text(age)) at \(FrequencyText.sentence(rate)) this would have been noticed: "
      + parts.joined(separator: ", ") + "." + unseen
      + (isYoung ? " Smaller changes are noticed only after two days of recording." : "")
      + (blind.isEmpty ? "" : " At \(names) nothing could have been seen.")
  }

  /// ` A slowdown at ios would not have been noticed.`; empty where all of the detectors would have noticed some.
  private static func unseen(_ detectors: [DetectorRecord], isShare: Bool, _ what: String) -> String {
    let blind = detectors.filter { detector in !powers(of: detector).contains { $0.isShare == isShare } }
    guard !blind.isEmpty else { return "" }
    let names = FindingSentence.list(blind.map { SeriesName.text($0.target, $0.variant) })
    return " \(what)\(blind.count == detectors.count ? "" : " at \(names)") would not have been noticed."
  }

  private static let metrics: [(SeriesMetric, @Sendable (String) -> String)] = [
    (.delivery, { "arriving \($0) slower" }), (.accept, { "answers \($0) slower" }),
    (.lost, { "losses of \($0)" }),
    (.failed, { "failures of \($0)" }),
  ]

  /// What a detector finds of changes that are no longer than what is recorded: only such can have been there.
  private static func powers(of detector: DetectorRecord) -> [DetectionPower] {
    (detector.power ?? []).compactMap { power in
      var power = power
      power.steps.removeAll { $0.length > detector.age }
      return power.steps.isEmpty ? nil : power
    }
  }

  /// The usual question, answered for the series that answers it worst: of a latency ×1.5, of a share 5 %.
  private func weakest(_ powers: [DetectionPower], _ words: (String) -> String) -> String? {
    let answers = powers.compactMap { power -> DetectionPower.Step? in
      power.shortest(power.isShare ? 0.05 : 1.5) ?? power.steps.min { $0.size < $1.size }
    }
    guard let isShare = powers.first?.isShare,
      let worst = answers.max(by: { ($0.size, $0.length) < ($1.size, $1.length) })
    else { return nil }
    // What is more of all of these is seen, too.
    let size = max(worst.size, isShare ? 0.05 : 1.5)
    let length = answers.map(\.length).max() ?? worst.length
    return "\(words(Self.size(size, isShare: isShare))) for \(LengthText.text(length)) or longer"
  }

  /// `×1.5`, `5 %`.
  public static func size(_ size: Double, isShare: Bool) -> String {
    if isShare { return PercentText.given(size) }
    let scaled = Int64((size * 100).rounded())
    let decimals = scaled % 100 == 0 ? 0 : scaled % 10 == 0 ? 1 : 2
    return "×" + FixedPoint.text(scaled, scale: 100, decimals: decimals)
  }
}
