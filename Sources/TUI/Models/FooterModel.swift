import ConstraintAnimation
import Measurement

/// The last line: the most important keys, and the cost of the dashboard itself.
struct FooterModel {
  let keys: KeyTable
  let cost: FrameCost?
  /// Shown instead of the keys.
  let message: FooterMessage?
  /// An overlay is open and takes the keys.
  var isCovered = false
  let appearance: Appearance

  func picture(width: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: 1)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    let hints =
      message.map { [LineItem(priority: 99, [TextSpan(said($0, width), appearance($0.role))])] }
      ?? (isCovered ? closing : hints)
    TitleRow.add(
      FittedLine(left: hints, right: costItems, width: TitleRow.room(width), gap: 2, middle: 3), to: &picture)
    return picture
  }

  private func said(_ message: FooterMessage, _ width: Int) -> String {
    FittedText.truncated(
      message.text, columns: TitleRow.room(width), ellipsis: appearance.glyphs.ellipsis)
  }

  private var hints: [LineItem] {
    keys.lines.compactMap { line -> LineItem? in
      let keys = appearance.isASCII ? line.plainKeys : line.keys
      guard let short = line.short, !keys.isEmpty else { return nil }
      return LineItem(
        priority: Self.priority(of: line),
        [TextSpan(keys, appearance(.key)), TextSpan(" \(short)", appearance(.secondary))])
    }
  }

  /// The keys that close an overlay; it takes all others.
  private var closing: [LineItem] {
    func item(_ stroke: KeyStroke?, _ short: String, priority: Int) -> LineItem? {
      guard let stroke else { return nil }
      return LineItem(
        priority: priority,
        [
          TextSpan(appearance.isASCII ? stroke.plainLabel : stroke.label, appearance(.key)),
          TextSpan(" \(short)", appearance(.secondary)),
        ])
    }
    let quit = keys.bindings.first { $0.command == .quit }?.strokes.first { $0.modifiers.contains(.control) }
    // Escape closes overlays regardless of the configuration.
    return [
      item(KeyStroke(.escape), "close", priority: 90), item(quit, "quit", priority: 80),
    ].compactMap { $0 }
  }

  /// Help and quit have the highest priority.
  private static func priority(of line: KeyHelp) -> Int {
    switch line.group {
    case .program: 90
    case .panels: 80
    case .time: 70
    case .plot: 60
    case .selecting: 55
    case .lists: 50
    }
  }

  private var costItems: [LineItem] {
    guard let cost else { return [] }
    let size =
      cost.bytes < 1_000
      ? "\(cost.bytes) B" : FixedPoint.text(Int64(cost.bytes), scale: 1_000, decimals: 1) + " KB"
    let micro = appearance.isASCII ? "us" : "µs"
    var items = [
      LineItem(
        priority: 75,
        [
          TextSpan(
            "\(FittedText.padded("\(cost.microseconds)", columns: 4)) \(micro)/frame \(FittedText.padded(size, columns: 7))",
            appearance(.secondary))
        ])
    ]
    if cost.skipped > 0 {
      items.append(
        LineItem(
          priority: 76, [TextSpan("\(FixedPoint.grouped(cost.skipped)) skipped", appearance(.warning))]))
    }
    return items
  }
}

/// A message in the last line, for a time or until the next key.
struct FooterMessage: Sendable, Equatable {
  /// Untrusted, as it may contain file names; escaped at the sink.
  let text: String
  var role = Role.accent
  /// When it disappears; `nil` waits for a key.
  var until: MotionTime?

  /// How long a temporary message is shown.
  static let stay = Duration.seconds(4)
}
