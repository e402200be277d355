import Analysis
import ConstraintAnimation
import Measurement
import Store

/// What the first line says. While this stays the same, the line does.
struct HeaderContent: Equatable {
  let run: DisplayedRun?
  /// How long the collector has been silent; `nil` while it is not.
  let silence: Age?
  let interruption: Interruption?
  /// The run that is being recorded when it is not the one on display.
  let recording: DisplayedRun?
  let isCollectorIdle: Bool
  /// Open ones, of targets that are recorded.
  let findings: [FindingRecord]
  /// When reloads removed targets, by name.
  let removed: [String: WallTime]
  let objectives: ObjectiveSummary
  let unforwarded: Int
  let retentionWait: RetentionWait?
  let retentionWaitAge: Age?
  let failedParts: [FailedPart]
  /// Targets that lose everything, and how a handshake with the receipt listener failed last.
  let silentTargets: [String]
  let handshakeFailure: HandshakeFailure?
  /// The targets of the run; `shown` has the indices of those that are shown.
  let targets: [DisplayedTarget]
  let shown: [Int]
  let isFrozen: Bool
  /// Whether the window follows the newest notifications.
  let follows: Bool
  /// Notifications since the view was frozen.
  let newSinceFrozen: Int
  /// Position of a replay.
  let replay: Replay?
  let rates: RateHistory
  /// What is recorded, as `pushscope status` begins; `nil` where it is not recorded now.
  let headline: String?
  /// Whether the plot's colors stand for targets, where they do not stand for values.
  let hasTargetColors: Bool
  /// The colors of the values of a key; `nil` where colors do not stand for values.
  var values: ValueColors?
  /// The name of the zone that hours and weekdays are told in.
  var zoneName = ""
}

/// The first line: the run, its phase and its rates.
struct HeaderModel {
  let content: HeaderContent
  let appearance: Appearance
  let zone: LocalTime

  /// - Parameter width: columns left of the tabs.
  func picture(width: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: 1)
    let line = FittedLine(
      left: [brand, phase] + interruptionItem + recordingItem + whereabouts + findingItems + objectiveItems
        + failures + silence + forwarding + retention
        + names + opening,
      right: speed,
      width: width - 2,
      gap: 2,
      middle: 2)
    // Keeps a distance to the tabs.
    picture.lines.append(CellPicture.Line(x: 1, y: 0, spans: line.left, end: width - 1))
    if line.rightColumns > 0 {
      picture.lines.append(
        CellPicture.Line(x: width - line.rightColumns - 2, y: 0, spans: line.right, end: width))
    }
    return picture
  }

  private var brand: LineItem { LineItem(priority: 30, [TextSpan("pushscope", appearance(.brand))]) }

  private var phase: LineItem {
    let bullet = appearance.glyphs.bullet
    if let replay = content.replay {
      let time = zone.civil(replay.position)
      let state =
        replay.isPaused ? "\(appearance.glyphs.pause) paused at" : "\(appearance.glyphs.play) replay"
      let times = appearance.isASCII ? "x" : "×"
      let sign = replay.isPaused ? appearance.glyphs.pause : appearance.glyphs.play
      return LineItem(
        priority: 68,
        [
          TextSpan("\(state) \(time.hoursMinutesSeconds)", appearance(.frozen)),
          TextSpan("  \(times)\(replay.speed)", appearance(.strong)),
        ],
        short: LineItem.Short(
          priority: 90,
          spans: [
            TextSpan("\(sign) \(time.hoursMinutesSeconds)", appearance(.frozen)),
            TextSpan(" \(times)\(replay.speed)", appearance(.strong)),
          ]))
    }
    if content.isFrozen {
      let count = CountText.grouped(content.newSinceFrozen)
      let (news, shortNews) = content.newSinceFrozen > 0 ? (", \(count) new", " +\(count)") : ("", "")
      let frozen = "\(appearance.glyphs.pause) frozen"
      return LineItem(
        priority: 68, [TextSpan(frozen + news, appearance(.frozen))],
        short: LineItem.Short(priority: 90, spans: [TextSpan(frozen + shortNews, appearance(.frozen))]))
    }
    switch content.run?.phase {
    case .live:
      // That the window is in the past is more important than that the run is live.
      return LineItem(
        priority: 90, [TextSpan("\(bullet) ", appearance(.live)), TextSpan("live", appearance(.live))],
        short: LineItem.Short(priority: 90, spans: [TextSpan(bullet, appearance(.live))]))
    case .silent:
      let age = content.silence.map { "\($0)" } ?? ""
      return LineItem(
        priority: 68, [TextSpan("\(bullet) collector gone for \(age)", appearance(.alarm))],
        short: LineItem.Short(
          priority: 90, spans: [TextSpan("\(bullet) gone for \(age)", appearance(.alarm))])
      )
    case .ended(let at, let reason):
      let time = zone.civil(at)
      let ended = "\(appearance.glyphs.pause) ended"
      return LineItem(
        priority: 68,
        [
          TextSpan(
            "\(ended) \(time.dateTime) \(FindingsModel.plain(zone.shortName(at: at), appearance))",
            appearance(.secondary)),
          TextSpan(reason.isEmpty ? "" : " (\(reason))", appearance(.secondary)),
        ],
        short: LineItem.Short(
          priority: 90, spans: [TextSpan("\(ended) \(time.date)", appearance(.secondary))]))
    case nil:
      return LineItem(priority: 90, [])
    }
  }

  /// That an engine does not answer, and since when.
  private var interruptionItem: [LineItem] {
    guard let interruption = content.interruption else { return [] }
    let since = zone.civil(interruption.since).hoursMinutesSeconds
    return [
      LineItem(
        priority: 92, [TextSpan("fleet not readable since \(since)", appearance(.alarm))],
        short: LineItem.Short(priority: 96, spans: [TextSpan("not readable", appearance(.alarm))]))
    ]
  }

  /// The recorded run, when another one is shown.
  private var recordingItem: [LineItem] {
    if content.isCollectorIdle, content.replay == nil {
      return [LineItem(priority: 71, [TextSpan("collector idle, s starts a run", appearance(.secondary))])]
    }
    guard let run = content.recording else { return [] }
    let name = FittedText.truncated(
      run.name ?? String("\(run.id)".prefix(13)), columns: 24, ellipsis: appearance.glyphs.ellipsis)
    return [
      LineItem(
        priority: 65,
        [
          TextSpan("\(appearance.glyphs.bullet) ", appearance(.live)),
          TextSpan("recording \(name)", appearance(.secondary)),
        ],
        short: LineItem.Short(
          priority: 72,
          spans: [
            TextSpan("\(appearance.glyphs.bullet) ", appearance(.live)),
            TextSpan("recording", appearance(.secondary)),
          ]))
    ]
  }

  /// Says that the window is in the past.
  private var whereabouts: [LineItem] {
    guard !content.follows, !content.isFrozen, content.replay == nil, content.run?.isLive ?? false else {
      return []
    }
    return [
      LineItem(
        priority: 85,
        [TextSpan("looking back", appearance(.warning)), TextSpan(", f follows", appearance(.secondary))],
        short: LineItem.Short(priority: 95, spans: [TextSpan("looking back", appearance(.warning))]))
    ]
  }

  /// The first line of `pushscope status`, where nothing else is to be said.
  private var opening: [LineItem] {
    guard let headline = content.headline, content.run?.isLive ?? false, content.replay == nil,
      !content.isFrozen,
      content.follows, content.interruption == nil, content.recording == nil, !content.isCollectorIdle,
      (findingItems + objectiveItems.filter { $0.priority > 40 } + failures + silence + forwarding + retention)
        .isEmpty
    else { return [] }
    let short = headline.split(separator: " (", maxSplits: 1).first.map(String.init) ?? headline
    return [
      LineItem(
        priority: 26, [TextSpan(FindingsModel.plain(headline, appearance), appearance(.secondary))],
        short: LineItem.Short(
          priority: 28, spans: [TextSpan(FindingsModel.plain(short, appearance), appearance(.secondary))]))
    ]
  }

  /// How many incidents are going on.
  private var findingItems: [LineItem] {
    let incidents = FindingIncident.group(content.findings)
    guard let last = incidents.last, content.run?.isLive ?? false, content.replay == nil else { return [] }
    let words = CountText.text(incidents.count, "finding")
    return [
      LineItem(
        priority: 80, [TextSpan("\(words) open", appearance(.warning))],
        short: LineItem.Short(priority: 88, spans: [TextSpan(words, appearance(.warning))]))
    ] + headline(last)
  }

  /// What the incident that began last says.
  private func headline(_ incident: FindingIncident) -> [LineItem] {
    let sentence = FindingSentence(incident, clock: SentenceClock(zone, today: incident.start))
    let words = FindingsModel.plain(sentence.what, appearance)
    let short = FindingsModel.plain(sentence.opening, appearance)
    return [
      LineItem(
        priority: 55, [TextSpan(words, appearance(.text))],
        short: LineItem.Short(priority: 57, spans: [TextSpan(short, appearance(.text))]))
    ]
  }

  /// Breached objectives by name, otherwise how many are kept; and that nobody could be told.
  private var objectiveItems: [LineItem] {
    let summary = content.objectives
    guard summary.count > 0 || summary.undelivered > 0, content.run?.isLive ?? false, content.replay == nil
    else {
      return []
    }
    var items: [LineItem] = []
    if let first = summary.breached.first {
      let name = FittedText.truncated(first, columns: 24, ellipsis: appearance.glyphs.ellipsis)
      let more = summary.breached.count > 1 ? " +\(summary.breached.count - 1)" : ""
      items.append(
        LineItem(
          priority: 82, [TextSpan("breached: \(name)\(more)", appearance(.alarm))],
          short: LineItem.Short(
            priority: 89, spans: [TextSpan("breached\(more)", appearance(.alarm))])))
    } else if summary.count > 0 {
      let words = "\(summary.met) of \(CountText.text(summary.count, "objective")) kept"
      items.append(LineItem(priority: 40, [TextSpan(words, appearance(.secondary))]))
    }
    if summary.undelivered > 0 {
      let words = CollectorNotes.undelivered(summary.undelivered)
      items.append(LineItem(priority: 81, [TextSpan(words, appearance(.warning))]))
    }
    return items
  }

  /// What of the collector does not work any more.
  private var failures: [LineItem] {
    guard let first = content.failedParts.first, content.replay == nil else { return [] }
    let more = content.failedParts.count > 1 ? " +\(content.failedParts.count - 1)" : ""
    let words = FindingsModel.plain(CollectorNotes.text(first), appearance)
    return [
      LineItem(
        priority: 83, [TextSpan(words + more, appearance(.alarm))],
        short: LineItem.Short(
          priority: 90,
          spans: [TextSpan("\(first.name) \(first.part == nil ? "fails" : "off")\(more)", appearance(.alarm))]
        ))
    ]
  }

  /// That devices do not reach the collector: nobody else would say so, and it looks like a provider that loses everything.
  private var silence: [LineItem] {
    guard let first = content.silentTargets.first, content.run?.isLive ?? false, content.replay == nil else {
      return []
    }
    let name = FittedText.truncated(first, columns: 24, ellipsis: appearance.glyphs.ellipsis)
    let more = content.silentTargets.count > 1 ? " +\(content.silentTargets.count - 1)" : ""
    let cause = content.handshakeFailure.map { ", TLS handshakes fail (\($0.rawValue))" } ?? ""
    return [
      LineItem(
        priority: 82, [TextSpan("no receipts from \(name)\(more)\(cause)", appearance(.alarm))],
        short: LineItem.Short(priority: 89, spans: [TextSpan("no receipts", appearance(.alarm))]))
    ]
  }

  /// That rows stay on this host.
  private var forwarding: [LineItem] {
    let rows = content.unforwarded
    guard rows > 0, content.replay == nil else { return [] }
    return [
      LineItem(
        priority: 79, [TextSpan(CollectorNotes.unforwarded(rows), appearance(.warning))],
        short: LineItem.Short(priority: 87, spans: [TextSpan("not forwarded", appearance(.warning))]))
    ]
  }

  /// That retention deletes less than it is asked to, for how long, and because of whom.
  private var retention: [LineItem] {
    guard let wait = content.retentionWait, let age = content.retentionWaitAge, content.replay == nil else {
      return []
    }
    let words = "\(CollectorNotes.text(wait)), \(age)"
    return [
      LineItem(
        priority: 78, [TextSpan(words, appearance(.warning))],
        short: LineItem.Short(priority: 86, spans: [TextSpan("retention waits", appearance(.warning))]))
    ]
  }

  private var names: [LineItem] {
    var items: [LineItem] = []
    let known = content.shown.filter(content.targets.indices.contains)
    if let values = content.values {
      items.append(ValueLegend(values: values, zoneName: content.zoneName, appearance: appearance).item)
    }
    if !known.isEmpty {
      let most = min(known.count, Self.mostNames)
      // Names that are no legend go before one.
      let priority = content.values == nil ? 70 : 27
      var item = LineItem(
        priority: priority, names(of: known, columns: max(6, 48 / known.count), most: most),
        short: LineItem.Short(
          priority: priority + 2, spans: names(of: known, columns: Self.leastName, most: most)))
      // Then as many names as fit.
      item.further = (1..<most).reversed().map {
        LineItem.Short(priority: priority + 2, spans: names(of: known, columns: Self.leastName, most: $0))
      }
      items.append(item)
    }
    if let name = content.run?.name {
      let text = FittedText.truncated(name, columns: 32, ellipsis: appearance.glyphs.ellipsis)
      // Of several recordings the name says which one this is.
      items.append(LineItem(priority: 69, [TextSpan(text, appearance(.secondary))]))
    }
    return items
  }

  /// Targets that are shown together have the colors and signs of their marks: this is the legend.
  private func names(of shown: [Int], columns: Int, most: Int) -> [TextSpan] {
    let isLegend = content.targets.count > 1 && content.hasTargetColors && content.values == nil
    var spans: [TextSpan] = []
    for target in shown.prefix(most) {
      if !spans.isEmpty { spans.append(TextSpan(isLegend ? "  " : " + ", appearance(.text))) }
      let name = FittedText.truncated(
        content.targets[target].name, columns: columns, ellipsis: appearance.glyphs.ellipsis)
      guard isLegend else {
        spans.append(TextSpan(name, appearance(.text)))
        continue
      }
      spans.append(TextSpan("\(appearance.targetSign(target)) \(name)", appearance.target(target)))
    }
    if shown.count > most {
      spans.append(TextSpan(" +\(shown.count - most)", appearance(.secondary)))
    }
    return spans
  }

  private static let mostNames = 12
  /// Columns of a name where there is little room.
  private static let leastName = 5

  /// The asked and the achieved rate of a live run.
  private var speed: [LineItem] {
    guard content.run?.isLive ?? false, content.replay == nil else { return [] }
    let targets = content.shown.filter(content.targets.indices.contains).map { content.targets[$0] }
    let asked = targets.filter { content.removed[$0.name] == nil }.reduce(0) { $0 + $1.askedRate }
    let sent = content.rates.average(seconds: 10)
    // Ten seconds of a random arrival process deviate from its rate by about this much.
    let slack = max(0.05 * asked, 3 * (asked / 10).squareRoot())
    let rate = FrequencyText.text(asked)
    // As wide whatever its decimals are, which change from second to second.
    let achieved = FittedText.field(
      FrequencyText.text(sent), columns: rate.count + 2, ellipsis: appearance.glyphs.ellipsis)
    let role: Role = sent < asked - slack ? .warning : .text
    return [
      LineItem(
        priority: 40,
        [TextSpan(Sparkline.text(content.rates.perSecond, appearance.glyphs), appearance(.accent))]),
      LineItem(
        priority: 60,
        [TextSpan("sent ", appearance(.secondary)), TextSpan(achieved, appearance(role))]),
      LineItem(
        priority: 50,
        [TextSpan("asked ", appearance(.secondary)), TextSpan(rate, appearance(.text))]),
    ]
  }
}

/// A row of small bars.
enum Sparkline {
  /// One bar per two values, relative to the highest.
  static func text(_ values: [Int], _ glyphs: GlyphSet) -> String {
    let pairs = stride(from: values.count % 2, to: values.count - 1, by: 2).map {
      values[$0] + values[$0 + 1]
    }
    let highest = max(1, pairs.max() ?? 1)
    var text = ""
    for value in pairs {
      let level = value == 0 ? 0 : max(glyphs.smallestBar, value * 8 / highest)
      if let scalar = Unicode.Scalar(glyphs.bars[level]) { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

/// Cost of the frames of the last second.
struct FrameCost: Sendable, Equatable {
  /// Layout, drawing and comparing per frame.
  var duration: Duration
  var bytes: Int
  /// Frames skipped because the terminal was too slow, since the start.
  var skipped: Int
}
