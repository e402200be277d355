public import Measurement
import Store

/// The first line of `pushscope status`, with which the dashboard opens, too: what is recorded, for how long and how fast.
public struct StatusHeadline: Sendable, Equatable {
  /// What a collector does.
  public enum Phase: Sendable, Equatable {
    /// Nothing was recorded yet.
    case empty
    case collecting
    /// A collector is there and records nothing.
    case idle
    /// No collector writes, and none has ended the run.
    case gone(since: WallTime)
    case ended(at: WallTime, reason: String)
  }

  public var phase: Phase
  /// The name of the run, or the beginning of its id; of several their number.
  public var run: String
  public var targets: Int
  /// Sent notifications a second; `nil` where it is not known.
  public var rate: Double?
  /// The time since the run began, or until its end.
  public var length: Duration
  /// Whether a fleet is read, which hears of a collector from what it forwards.
  public var isForwarded = false
  /// Length of the reported window; 0 where nothing has settled.
  public var last = Duration.zero
  /// The stretch before it that it is compared with; 0 for none.
  public var before = Duration.zero

  public init(phase: Phase, run: String, targets: Int, rate: Double?, length: Duration) {
    (self.phase, self.run, self.targets, self.rate, self.length) = (phase, run, targets, rate, length)
  }

  /// The label of one run: `run nightly`, `run 01a2b3c4…`.
  public static func label(_ name: String?, _ id: RunID) -> String {
    name.map { "run \"\($0)\"" } ?? "run \("\(id)".prefix(8))…"
  }

  /// `collecting for 12 d (run 01a2b3c4…, 4 targets, 4.1 notifications a second)`.
  public func opening(_ clock: SentenceClock) -> String {
    var parts = [run, CountText.text(targets, "target")].filter { !$0.isEmpty }
    if let rate, phase == .collecting { parts.append(FrequencyText.sentence(rate)) }
    let what = " (\(parts.joined(separator: ", ")))"
    switch phase {
    case .empty: return "nothing recorded yet; pushscope collect records"
    case .collecting: return "collecting for \(LengthText.text(length))\(what)"
    case .idle: return "the collector is idle; what was recorded last took \(LengthText.text(length))\(what)"
    case .gone(let time):
      return isForwarded
        ? "nothing forwarded since \(clock.moment(time)): the collector is gone or does not reach the fleet\(what)"
        : "nothing recorded since \(clock.moment(time)): the collector is gone\(what)"
    case .ended(let time, let reason):
      let why = reason.isEmpty ? "," : ": \(reason)"
      return "not collecting since \(clock.moment(time))\(why) after \(LengthText.text(length))\(what)"
    }
  }

  /// ``opening(_:)`` with the stretches that figures are of: `…; last 1 h against the 7 d before`.
  public func text(_ clock: SentenceClock) -> String {
    let opening = opening(clock)
    guard phase != .empty, last > .zero else { return opening }
    let against = before > .zero ? " against the \(LengthText.text(before)) before" : ""
    return "\(opening); last \(LengthText.text(last))\(against)"
  }
}

/// What a collector, or a fleet, has recorded last: a line a target.
public struct CollectionStatus: Sendable {
  public var headline: StatusHeadline
  /// The runs that it is read from.
  public var runs: [RunID] = []
  public var targets: [TargetActivity]
  /// What a person should see to, beside targets.
  public var needs: [String]
  /// The start of the running collector; `nil` where none runs.
  public var runningSince: WallTime?
  /// What of the running collector does not work; each is among ``needs``, too.
  public var failedParts: [FailedPart] = []
  /// Whether the running collector cannot record, and therefore sends nothing; said in ``needs``.
  public var isDiskFull = false
  public var now: WallTime

  public init(headline: StatusHeadline, targets: [TargetActivity], needs: [String] = [], now: WallTime) {
    (self.headline, self.targets, self.needs, self.now) = (headline, targets, needs, now)
  }

  /// Times in UTC, with the date of other days than today.
  public var clock: SentenceClock { SentenceClock(today: now, isNamed: true) }

  /// The word and the sentence of each of ``targets``.
  public var statuses: [TargetStatus] { targets.map { TargetStatus($0, clock: clock) } }

  /// What is said of a target where nothing stands beside it: `android: slower, since 14:02 UTC: half within …`.
  public static func sentence(_ status: TargetStatus, of target: TargetActivity) -> String {
    let word = status.word.rawValue
    return status.sentence.hasPrefix(word)
      ? "\(name(target)): \(status.sentence)" : "\(name(target)): \(word), \(status.sentence)"
  }

  /// A sentence: since when the collector runs, and whether every part works; `nil` where none runs.
  public var running: String? {
    runningSince.map { ConditionWords.running(since: $0, failed: failedParts, isDiskFull: isDiskFull, clock) }
  }

  /// What cannot be told of the targets that are recorded, since no device reports it: `whether notifications of hook arrive`.
  public var unknown: [String] {
    let recorded = targets.filter { $0.phase == .recorded }
    func sentence(_ verb: String, _ unknown: [TargetActivity]) -> String? {
      guard !unknown.isEmpty else { return nil }
      return "whether notifications of \(ListText.first(3, of: unknown.map(Self.name))) \(verb)"
    }
    // Where none is expected, receipts may come all the same.
    let (heard, unheard) = (
      recorded.filter(\.expectsReceipts),
      recorded.filter { !$0.expectsReceipts && $0.last.map { $0.counts[.delivered] == 0 } ?? true }
    )
    return [
      sentence("arrive", unheard),
      sentence("are shown", heard.filter { $0.last != nil && $0.last?.unseen == nil }),
    ]
    .compactMap { $0 }
  }

  /// Whether somebody has to look.
  public var isOpen: Bool { isDiskFull || !failedParts.isEmpty || statuses.contains(where: \.word.isOpen) }

  // MARK: - Lines

  /// Names longer than this do not move the other columns.
  private static let longestName = 24
  /// The number of targets from which those with something open are named again at the end.
  private static let many = 16
  /// A narrower sentence begins on a line of its own.
  private static let leastSentence = 32

  /// The first line, a line a target, and what needs a hand. Harmful characters are escaped.
  ///
  /// - Parameter width: columns of the terminal, where sentences continue below themselves; `nil` for whole lines.
  public func lines(width: Int? = nil) -> [String] {
    let statuses = statuses
    let names = targets.map { EscapedText.make(Self.name($0)) }
    let nameColumns = names.map(CharacterWidth.columns).filter { $0 <= Self.longestName }.max() ?? 0
    let wordColumns = statuses.map(\.word.rawValue.count).max() ?? 0
    var lines = Self.folded("", EscapedText.make(headline.text(clock)), indent: 2, width: width)
    for (name, status) in zip(names, statuses) {
      let start =
        "  " + Self.padded(name, nameColumns) + "  " + Self.padded(status.word.rawValue, wordColumns) + "  "
      let details = status.finding.map { "   findings show \($0)" } ?? ""
      lines += Self.folded(
        start, EscapedText.make(status.sentence + details), indent: nameColumns + wordColumns + 6,
        width: width)
    }
    if let running { lines += Self.folded("", running, indent: 2, width: width) }
    if !unknown.isEmpty {
      let what = EscapedText.make(unknown.joined(separator: ", or "))
      lines += Self.folded("cannot know: ", "\(what): no device reports it", indent: 13, width: width)
    }
    if statuses.count >= Self.many { lines.append(summary(names, statuses)) }
    if !needs.isEmpty {
      lines += Self.folded(
        "needs a hand: ", EscapedText.make(needs.joined(separator: " · ")), indent: 14, width: width)
    }
    return lines
  }

  /// `ios`, of several runs `eu-west ios`.
  private static func name(_ target: TargetActivity) -> String {
    target.group.map { $0.isEmpty ? target.name : "\($0) \(target.name)" } ?? target.name
  }

  /// `2 of 100 targets have something open: android slower, hook failing`.
  private func summary(_ names: [String], _ statuses: [TargetStatus]) -> String {
    let open = zip(names, statuses).filter { $0.1.word.isOpen }
    let all = CountText.text(statuses.count, "target")
    guard !open.isEmpty else { return "none of \(all) has something open" }
    let named = ListText.first(8, of: open.map { "\($0.0) \($0.1.word)" })
    return
      "\(CountText.grouped(open.count)) of \(all) \(open.count == 1 ? "has" : "have") something open: \(named)"
  }

  private static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - CharacterWidth.columns(of: text)))
  }

  /// Breaks a text at spaces; further lines are indented.
  private static func folded(_ start: String, _ text: String, indent: Int, width: Int?) -> [String] {
    guard let width, CharacterWidth.columns(of: start + text) > width else { return [start + text] }
    let inset = width - indent < leastSentence ? 4 : indent
    // A name that is too long, or a narrow terminal: the sentence begins below.
    let isBelow = !start.isEmpty && width - CharacterWidth.columns(of: start) < leastSentence
    let lines = WrappedText.lines(
      text, first: width - (isBelow ? inset : CharacterWidth.columns(of: start)), rest: width - inset)
    let margin = String(repeating: " ", count: inset)
    return ((isBelow ? [start] : []) + lines.enumerated().map { ($0 > 0 || isBelow ? margin : start) + $1 })
      .map(\.trimmingTrailingSpaces)
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
  }
}
