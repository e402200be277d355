import ConstraintAnimation
import Measurement
import Store

/// The first line: which run, whether it goes on, how fast.
struct HeaderModel {
  let snapshot: Snapshot
  let shown: [Int]
  let isFrozen: Bool
  /// Whether the newest is in view and will stay so.
  let follows: Bool
  /// Notifications since the picture was frozen.
  let newSinceFrozen: Int
  /// The run as it was at a moment.
  let replay: Replay?
  let rates: RateHistory
  let appearance: Appearance
  let zone: LocalTime

  /// - Parameter width: columns left of the tabs.
  func picture(width: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: 1)
    let line = FittedLine(
      left: [brand, phase] + recording + whereabouts + names, right: speed, width: width - 2, gap: 2,
      middle: 2)
    // Whatever it is, the tabs behind it stand apart.
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
    if let replay {
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
    if isFrozen {
      let count = FixedPoint.grouped(newSinceFrozen)
      let (news, shortNews) = newSinceFrozen > 0 ? (", \(count) new", " +\(count)") : ("", "")
      let frozen = "\(appearance.glyphs.pause) frozen"
      return LineItem(
        priority: 68, [TextSpan(frozen + news, appearance(.frozen))],
        short: LineItem.Short(priority: 90, spans: [TextSpan(frozen + shortNews, appearance(.frozen))]))
    }
    switch snapshot.run?.phase {
    case .live:
      // Who looks back must see that more than that the run is live.
      return LineItem(
        priority: 90, [TextSpan("\(bullet) ", appearance(.live)), TextSpan("live", appearance(.live))],
        short: LineItem.Short(priority: 90, spans: [TextSpan(bullet, appearance(.live))]))
    case .silent(let since):
      let age = Age(since: since, now: snapshot.now)
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
          TextSpan("\(ended) \(time.dateTime)", appearance(.secondary)),
          TextSpan(reason.isEmpty ? "" : " (\(reason))", appearance(.secondary)),
        ],
        short: LineItem.Short(
          priority: 90, spans: [TextSpan("\(ended) \(time.date)", appearance(.secondary))]))
    case nil:
      return LineItem(priority: 90, [])
    }
  }

  /// Which run is being recorded when another one is shown.
  private var recording: [LineItem] {
    if snapshot.collector?.isIdle ?? false, replay == nil {
      return [LineItem(priority: 65, [TextSpan("collector idle, s starts a run", appearance(.secondary))])]
    }
    guard let run = snapshot.recording else { return [] }
    let name = FittedText.truncated(
      run.name ?? String("\(run.id)".prefix(13)), columns: 24, ellipsis: appearance.glyphs.ellipsis)
    return [
      LineItem(
        priority: 65,
        [
          TextSpan("\(appearance.glyphs.bullet) ", appearance(.live)),
          TextSpan("recording \(name)", appearance(.secondary)),
        ])
    ]
  }

  /// Says so when what is shown is not what happens now.
  private var whereabouts: [LineItem] {
    guard !follows, !isFrozen, replay == nil, snapshot.run?.isLive ?? false else { return [] }
    return [
      LineItem(
        priority: 85,
        [TextSpan("looking back", appearance(.warning)), TextSpan(", f follows", appearance(.secondary))],
        short: LineItem.Short(priority: 95, spans: [TextSpan("looking back", appearance(.warning))]))
    ]
  }

  private var names: [LineItem] {
    var items: [LineItem] = []
    let names = shown.compactMap { snapshot.targets.indices.contains($0) ? snapshot.targets[$0].name : nil }
    if !names.isEmpty {
      let text = FittedText.truncated(
        names.joined(separator: " + "), columns: 48, ellipsis: appearance.glyphs.ellipsis)
      items.append(LineItem(priority: 70, [TextSpan(text, appearance(.text))]))
    }
    if let name = snapshot.run?.name {
      let text = FittedText.truncated(name, columns: 32, ellipsis: appearance.glyphs.ellipsis)
      items.append(LineItem(priority: 20, [TextSpan(text, appearance(.secondary))]))
    }
    return items
  }

  /// What was asked for and what went out, while it does.
  private var speed: [LineItem] {
    guard snapshot.run?.isLive ?? false, replay == nil else { return [] }
    let asked = shown.reduce(0) {
      $0 + (snapshot.targets.indices.contains($1) ? snapshot.targets[$1].askedRate : 0)
    }
    let sent = rates.average(seconds: 10)
    // Ten seconds of a random arrival process differ from its rate by about this much.
    let slack = max(0.05 * asked, 3 * (asked / 10).squareRoot())
    let role: Role = sent < asked - slack ? .warning : .text
    return [
      LineItem(
        priority: 40, [TextSpan(Sparkline.text(rates.perSecond, appearance.glyphs), appearance(.accent))]),
      LineItem(
        priority: 60,
        [TextSpan("sent ", appearance(.secondary)), TextSpan(Self.rate(sent), appearance(role))]),
      LineItem(
        priority: 50,
        [TextSpan("asked ", appearance(.secondary)), TextSpan(Self.rate(asked), appearance(.text))]),
    ]
  }

  /// `4.0/s`, `1000/s`; below one a second by the minute.
  static func rate(_ perSecond: Double) -> String {
    guard perSecond > 0 else { return "0/s" }
    if perSecond < 1 {
      return FixedPoint.text(Int64((perSecond * 60_000).rounded()), scale: 1_000, decimals: 1) + "/min"
    }
    return FixedPoint.text(
      Int64((perSecond * 1_000).rounded()), scale: 1_000, decimals: perSecond < 99.95 ? 1 : 0) + "/s"
  }
}

/// How many notifications went out in each of the last seconds.
struct RateHistory: Sendable, Equatable {
  /// Oldest first; the second that is still running is left out.
  let perSecond: [Int]

  static let seconds = 30

  init(snapshot: Snapshot, targets: [Int]) {
    let end = snapshot.edge.microseconds.flooringDivision(by: 1_000_000) * 1_000_000
    let start = end - Int64(Self.seconds) * 1_000_000
    var counts = Array(repeating: 0, count: Self.seconds)
    for target in targets where snapshot.tracks.indices.contains(target) {
      let track = snapshot.tracks[target]
      let range = track.range(from: WallTime(microseconds: start), to: WallTime(microseconds: end))
      track.forEachRun(in: range) { run in
        for point in run where point.isSent {
          let index = Int((point.plannedAt - start) / 1_000_000)
          if counts.indices.contains(index) { counts[index] += 1 }
        }
      }
    }
    perSecond = counts
  }

  /// Notifications a second over the last `seconds`.
  func average(seconds: Int) -> Double {
    let last = perSecond.suffix(seconds)
    return last.isEmpty ? 0 : Double(last.reduce(0, +)) / Double(last.count)
  }
}

/// Numbers as a row of small bars.
enum Sparkline {
  /// The last values, as high as the highest of them allows; two make one bar.
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

/// What the last second of painting has cost.
struct FrameCost: Sendable, Equatable {
  /// µs of layout, drawing and comparing, a frame.
  var microseconds: Int
  var bytes: Int
  /// Frames that the terminal was too slow for, since the start.
  var skipped: Int
}
