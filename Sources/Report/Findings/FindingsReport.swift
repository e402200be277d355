public import Analysis
import Formats
import Measurement
import Store

/// What changed in a recording, and why, as the store has it.
public struct FindingsReport: Sendable {
  public let records: [FindingRecord]
  private let series: [WatchedSeries]
  private let ends: RecordingEnds

  /// - Parameter now: tells whether collectors still write.
  /// - Throws: `StoreError`.
  public init(_ reader: StoreReader, _ selection: RowSelection, at now: WallTime) throws {
    let records = try reader.findings(Self.findings(of: selection))
    self.init(
      records, series: try Self.watched(reader, selection),
      ends: try RecordingEnds(records, in: reader, at: now))
  }

  /// How long each series of the targets of a selection was watched.
  /// - Throws: `StoreError`.
  public static func watched(_ reader: StoreReader, _ selection: RowSelection) throws -> [WatchedSeries] {
    try WatchedSeries.all(reader.detectors(), in: reader, of: selection)
  }

  /// The findings of a selection among given ones.
  public init(
    _ records: [FindingRecord], _ selection: RowSelection, series: [WatchedSeries], ends: RecordingEnds
  ) {
    self.init(records.filter(Self.findings(of: selection).includes), series: series, ends: ends)
  }

  public init(_ records: [FindingRecord], series: [WatchedSeries] = [], ends: RecordingEnds = .none) {
    (self.series, self.ends) = (series, ends)
    self.records = records.filter { !$0.isHidden && !$0.isWithdrawn }
  }

  private static func findings(of selection: RowSelection) -> FindingSelection {
    FindingSelection(
      run: selection.run, targets: selection.targets, since: selection.since, until: selection.until)
  }

  /// Series that are still learned, with how far they are.
  public var learning: [DetectorRecord] {
    series.filter { !$0.isRemoved }.map(\.detector).filter { $0.learning != nil }
  }

  /// What would have been found in the selected time.
  private var power: PowerSentence { PowerSentence(of: series) }

  /// Whether series were watched, but at other times.
  private var isElsewhere: Bool {
    !series.isEmpty && series.allSatisfy { $0.selected == .zero && $0.age > .zero }
  }

  /// Which findings `--fail-on` counts.
  public enum FailureRule: String, Sendable, CaseIterable {
    case open, any
  }

  /// - Parameter countsProvisional: whether those of the first two days count.
  public func fails(on rule: FailureRule, countsProvisional: Bool) -> Bool {
    records.contains { record in
      (countsProvisional || !record.isProvisional) && record.kind.word != .faster && !record.isDaily
        && (rule == .any || record.isOpen)
    }
  }

  /// What is learned, and a line for each finding.
  ///
  /// - Parameters:
  ///   - today: the day whose date is left out of times.
  ///   - isFolded: whether incidents that repeat are one line, which is that of the last.
  public func lines(today: WallTime? = nil, isFolded: Bool = true) -> [String] {
    let clock = SentenceClock(today: today)
    var lines = learningLines
    let incidents = FindingIncident.group(records)
    let folded = isFolded ? FindingRepetition.fold(incidents) : incidents.map(FindingRepetition.init)
    guard !folded.isEmpty else {
      return lines + [
        isElsewhere ? "Nothing found; nothing was recorded in this time." : EscapedText.make(power.text)
      ]
    }
    var table = TextTable([.init("id"), .init("status"), .init("what (times in UTC)")])
    for repetition in folded {
      let first = repetition.last.first
      table.append([
        first.id, first.status.rawValue,
        FindingSentence(repetition, stoppedAt: ends[first], clock: clock).text,
      ])
      for record in repetition.last.findings.dropFirst() {
        let sentence = FindingSentence(record, stoppedAt: ends[record], clock: clock)
        table.append([record.id, record.status.rawValue, "with \(first.id): \(sentence.what)"])
      }
    }
    lines += table.lines()
    lines += ["", Self.count(records)]
    if folded.count < incidents.count {
      lines.append("Of incidents that repeat the last is listed; --each lists all of them.")
    }
    guard records.allSatisfy(\.isDaily) else { return lines }
    return lines + [
      EscapedText.make(power.text(after: "No change found"))
    ]
  }

  /// A line for those that are equally far.
  private var learningLines: [String] {
    let said = learning.map { "\(LengthText.text($0.age)) of \(LengthText.text($0.learning ?? 0))" }
    let names = learning.map { SeriesName.text($0.target, $0.variant) }
    var named: [String: [String]] = [:]
    for (text, name) in zip(said, names) { named[text, default: []].append(name) }
    var told: Set<String> = []
    return said.filter { told.insert($0).inserted }.map { text in
      EscapedText.make("learning: \(text) (\(ListText.first(Self.mostNames, of: named[text] ?? [])))")
    }
  }

  /// Names in a line of what is learned.
  private static let mostNames = 4

  /// `2 incidents of 4 findings, 0 open; 1 daily pattern`.
  private static func count(_ records: [FindingRecord]) -> String {
    let incidents = FindingIncident.group(records)
    let changes = incidents.filter { !$0.isDaily }
    let findings = changes.reduce(0) { $0 + $1.findings.count }
    let parts = [
      changes.isEmpty
        ? ""
        : "\(CountText.text(changes.count, "incident")) of \(CountText.text(findings, "finding")), \(changes.count(where: \.isOpen)) open",
      changes.count == incidents.count
        ? "" : CountText.text(incidents.count - changes.count, "daily pattern"),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// What is learned and what was found, with the names and units of the CSV.
  public var json: JSONValue {
    .object([
      .init(
        "learning",
        .array(
          learning.map {
            .object([
              .init("target", .string($0.target)),
              .init("variant", $0.variant.isEmpty ? .null : .string($0.variant)),
              .init("provider", .string($0.provider)), .init("age_us", .integer($0.age)),
              .init("learning_us", .integer($0.learning)),
            ])
          })),
      .init("findings", .array(records.map(\.json))),
    ])
  }
}

/// The parts of a finding's line.
enum FindingWords {
  /// `2026-03-01 14:02:10 ± 8 s to 14:03:10`, `… since`, `getting worse since about …`.
  ///
  /// - Parameter stoppedAt: when recording stopped, of one that went on until then.
  static func time(of record: FindingRecord, stoppedAt: WallTime? = nil) -> String {
    FindingFields.time(of: record, stoppedAt: stoppedAt, clock)
  }

  /// Times in UTC.
  static var clock: FindingFields.Clock {
    FindingFields.Clock(
      moment: RunText.time, time: { String($0.rfc3339.dropFirst(11).prefix(8)) }, exact: \.rfc3339,
      zone: "UTC", sentence: SentenceClock(today: nil))
  }
}
