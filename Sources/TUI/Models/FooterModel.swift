import Configuration
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
  /// What the keys are for at the moment.
  var mode = FooterMode.panel(.histogram)
  let appearance: Appearance

  func picture(width: Int) -> CellPicture {
    var picture = TitleRow.picture(width: width, height: 1, appearance)
    let hints =
      message.map { [LineItem(priority: 99, [TextSpan(said($0, width), appearance($0.role))])] }
      ?? (isCovered ? closing : hints)
    TitleRow.add(TitleRow.fitted(hints, right: costItems, width: width, middle: 3), to: &picture)
    return picture
  }

  private func said(_ message: FooterMessage, _ width: Int) -> String {
    FittedText.truncated(
      message.text, columns: TitleRow.room(width), ellipsis: appearance.glyphs.ellipsis)
  }

  private var hints: [LineItem] {
    let own = mode.hints
    let named = Set(own.flatMap(\.actions))
    return own.compactMap(hint) + general(without: named)
  }

  /// A key of the panel or the mode, and what it does there.
  private func hint(_ hint: FooterMode.Hint) -> LineItem? {
    let strokes = hint.actions.compactMap { keys.stroke(for: $0) }
    guard !strokes.isEmpty else { return nil }
    let labels = strokes.map { appearance.isASCII ? $0.plainLabel : $0.label }.joined(separator: " ")
    return LineItem(
      priority: 74, [TextSpan(labels, appearance(.key)), TextSpan(" \(hint.text)", appearance(.secondary))])
  }

  /// The keys that hold in any panel.
  private func general(without named: Set<DashboardAction>) -> [LineItem] {
    keys.lines.compactMap { line -> LineItem? in
      guard let short = line.short, !line.bindings.contains(where: { named.contains($0.action) }) else {
        return nil
      }
      let keys = appearance.isASCII ? line.plainKeys : line.keys
      if keys.isEmpty { return nil }
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
    case .lists, .histogram, .log, .runs, .targets, .findings: 50
    }
  }

  private var costItems: [LineItem] {
    guard let cost else { return [] }
    let time = FindingsModel.plain(LatencyText.text(cost.duration.microseconds), appearance)
    let size = SizeText.text(Int64(cost.bytes))
    var items = [
      LineItem(
        priority: 75,
        [
          TextSpan(
            "\(FittedText.padded(time, columns: 7))/frame \(FittedText.padded(size, columns: 7))",
            appearance(.secondary))
        ])
    ]
    if cost.skipped > 0 {
      items.append(
        LineItem(
          priority: 76, [TextSpan("\(CountText.grouped(cost.skipped)) skipped", appearance(.warning))]))
    }
    return items
  }
}

/// What the keys are for: the panel, or a mode that takes some of them.
enum FooterMode: Sendable, Equatable {
  case panel(Panel, hasSelection: Bool = false, plot: PlotMode = PlotMode())
  /// A box is being drawn.
  case box
  /// The crosshair takes the arrow keys.
  case inspect(hasSelection: Bool)
  case replay(isPaused: Bool)

  /// How the plot is drawn, where a key ends that.
  struct PlotMode: Sendable, Equatable {
    var view = PlotView.automatic
    var hasMultiples = false
    var comparison: Comparison?
    /// The window shows the chosen finding, as it was brought there.
    var isAtFinding = false
  }

  struct Hint {
    let actions: [DashboardAction]
    let text: String
  }

  init(_ state: ViewState) {
    let hasSelection = state.plot.selection != nil
    if state.plot.box != nil {
      self = .box
    } else if state.plot.holdsCrosshair {
      self = .inspect(hasSelection: hasSelection)
    } else if let replay = state.replay {
      self = .replay(isPaused: replay.isPaused)
    } else {
      self = .panel(
        state.panel, hasSelection: hasSelection,
        plot: PlotMode(
          view: state.plot.view, hasMultiples: state.plot.hasMultiples, comparison: state.comparison,
          isAtFinding: state.panel == .findings && state.isAtFinding))
    }
  }

  /// The most important first.
  var hints: [Hint] {
    switch self {
    case .box:
      [
        Hint(actions: [.panBack, .panForward], text: "extend"),
        Hint(actions: [.zoomToBox], text: "zoom to it"),
        Hint(actions: [.list], text: "select"), Hint(actions: [.beginBox], text: "cancel"),
      ]
    case .inspect(let hasSelection):
      [
        Hint(actions: [.panBack, .panForward], text: "move"),
        Hint(actions: [.previousNotification, .nextNotification], text: "next one"),
        Hint(actions: [.list], text: hasSelection ? "list selected" : "select"),
        Hint(actions: [.beginBox], text: "box"), Hint(actions: [.crosshair], text: "leave"),
      ]
    case .replay(let isPaused):
      [
        Hint(actions: [.freeze], text: isPaused ? "go on" : "pause"),
        Hint(actions: [.slower, .faster], text: "speed"),
        Hint(actions: [.panBack, .panForward], text: "scrub"),
        Hint(actions: [.replay], text: "end"),
      ]
    case .panel(let panel, let hasSelection, let plot): Self.hints(of: panel, hasSelection, plot)
    }
  }

  /// A selection takes Enter from a table, and the differences of a comparison stand in place of the histogram.
  private static func hints(of panel: Panel, _ hasSelection: Bool, _ plot: PlotMode) -> [Hint] {
    var own: [Hint] = []
    if hasSelection { own.append(Hint(actions: [.list], text: "list selected")) }
    if hasSelection, panel.isTable { own.append(Hint(actions: [.dismiss], text: "deselect")) }
    own += plot.hints
    let named = Set(own.flatMap(\.actions))
    let others = panel == .histogram && plot.comparison != nil ? [] : hints(of: panel, plot)
    return own + others.filter { named.isDisjoint(with: $0.actions) }
  }

  private static func hints(of panel: Panel, _ plot: PlotMode) -> [Hint] {
    switch panel {
    case .histogram:
      [
        Hint(actions: [.buckets], text: "buckets"),
        Hint(actions: [.chooseNext, .choosePrevious], text: "select one"),
      ]
    case .log, .events:
      [
        Hint(actions: [.filter], text: "filter"), Hint(actions: [.nextHit, .previousHit], text: "hits"),
        Hint(actions: [.chooseNext, .choosePrevious], text: "select"),
        Hint(actions: [.wholeLine], text: "in full"), Hint(actions: [.fold], text: "floods"),
        Hint(actions: [.sort], text: "order"), Hint(actions: [.columns], text: "columns"),
      ]
    case .runs:
      [
        Hint(actions: [.list], text: "open"), Hint(actions: [.freeze], text: "mark"),
        Hint(actions: [.compare], text: "compare"), Hint(actions: [.rename], text: "rename"),
        Hint(actions: [.delete], text: "delete"), Hint(actions: [.sort], text: "order"),
        Hint(actions: [.columns], text: "columns"),
      ]
    case .targets:
      [
        Hint(actions: [.list], text: "alone"), Hint(actions: [.freeze], text: "in the plot"),
        Hint(actions: [.sort], text: "order"), Hint(actions: [.columns], text: "columns"),
      ]
    case .findings:
      [
        Hint(actions: [.list], text: plot.isAtFinding ? "all that is known" : "go there"),
        Hint(actions: [.sort], text: "order"),
        Hint(actions: [.columns], text: "columns"),
      ]
    }
  }
}

extension FooterMode.PlotMode {
  /// The keys that go on to the next or end it.
  fileprivate var hints: [FooterMode.Hint] {
    var hints: [FooterMode.Hint] = []
    if case .targets = comparison { hints.append(FooterMode.Hint(actions: [.target], text: "next target")) }
    if comparison != nil { hints.append(FooterMode.Hint(actions: [.compare], text: "end comparison")) }
    switch view {
    case .automatic: break
    case .bands: hints.append(FooterMode.Hint(actions: [.bands], text: "dots"))
    case .dots: hints.append(FooterMode.Hint(actions: [.bands], text: "what fits"))
    case .hours: hints.append(FooterMode.Hint(actions: [.heatMap], text: "minutes"))
    case .minutes: hints.append(FooterMode.Hint(actions: [.heatMap], text: "no heat map"))
    }
    if hasMultiples { hints.append(FooterMode.Hint(actions: [.smallMultiples], text: "one pane")) }
    return hints
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
