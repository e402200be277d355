import ConstraintAnimation
import Measurement

/// What may stand below the plot, in the order of the tabs.
enum Panel: Int, Sendable, Hashable, CaseIterable {
  case histogram
  case log
  case events
  case runs
  case targets
  case findings

  /// The title on the tab, without the number.
  var title: String {
    switch self {
    case .histogram: "Histogram"
    case .log: "Log"
    case .events: "Events"
    case .runs: "Runs"
    case .targets: "Targets"
    case .findings: "Findings"
    }
  }

  /// Whether it lists rows of which one is chosen.
  var isTable: Bool {
    switch self {
    case .runs, .targets, .findings: true
    case .histogram, .log, .events: false
    }
  }

  /// Whether a heading stands above its rows.
  var hasHeading: Bool { self == .events || isTable }

  /// What the command of a key is in this panel: in the tables of runs and targets Space marks the chosen row instead of
  /// freezing. A key that quits closes what lies on top first, unless Ctrl is held.
  func command(_ command: Command, of event: InputEvent) -> Command {
    if command == .quit, !event.modifiers.contains(.control) { return .close }
    let marks = isTable && self != .findings && event.kind == .key(.character(" "))
    return command == .freeze && marks ? .mark : command
  }

  var next: Panel { Panel(rawValue: (rawValue + 1) % Panel.allCases.count) ?? .histogram }

  var previous: Panel {
    Panel(rawValue: (rawValue + Panel.allCases.count - 1) % Panel.allCases.count) ?? .histogram
  }
}

/// Where the panel stands: below the plot, or to its right.
enum Arrangement: Sendable, Hashable {
  case below
  case beside

  /// Side by side where the terminal is wide and has few rows.
  static func suitable(columns: Int, rows: Int) -> Arrangement {
    columns >= 140 && rows < 30 && columns >= 5 * rows ? .beside : .below
  }

  var other: Arrangement { self == .below ? .beside : .below }
}

/// What is chosen in the tables of targets and findings.
struct TableState: Sendable, Equatable {
  var targets = RowPosition<TargetID>()
  /// The first row in view of the table of a key's values, as far as there are so many.
  private(set) var firstValue = 0
  /// The targets that are not in the plot.
  var hiddenTargets: Set<TargetID> = []
  /// The chosen row by the id of the incident's first finding.
  var findings = RowPosition<String>()
  /// `nil` until a finding has been gone to.
  var visit: FindingVisit?
  /// The title of the column that a table is ordered by, or ``newestFirst``; without one it is in its own order.
  var order: [Panel: String] = [:]
  /// Titles of the columns that are not wanted.
  var hiddenColumns: [Panel: Set<String>] = [:]

  /// Targets and findings are those of another run.
  mutating func beginRun() {
    (targets, hiddenTargets, findings, visit) = (RowPosition(), [], RowPosition(), nil)
  }

  /// The order of log and events other than that of writing.
  static let newestFirst = "newest first"

  /// Whether the newest line of log or events stands first.
  func isNewestFirst(_ panel: Panel) -> Bool { order[panel] == Self.newestFirst }

  /// Orders the rows of a panel by its next column, after the last one in their own order.
  /// - Returns: what to tell the user.
  mutating func sort(_ panel: Panel, among titles: [String]) -> String {
    let next = order[panel].flatMap(titles.firstIndex).map { $0 + 1 } ?? 0
    order[panel] = next < titles.count ? titles[next] : nil
    guard panel.isTable else { return order[panel] ?? "oldest first" }
    return order[panel].map { "by \($0)" } ?? "in their own order"
  }

  /// Shows a column, or hides it unless it is the last one.
  /// - Returns: whether that was possible.
  mutating func toggleColumn(_ title: String, of panel: Panel, among columns: [String]) -> Bool {
    var hidden = hiddenColumns[panel] ?? []
    if hidden.remove(title) == nil {
      guard hidden.count < columns.count - 1 else { return false }
      hidden.insert(title)
    }
    hiddenColumns[panel] = hidden.isEmpty ? nil : hidden
    return true
  }

  /// Scrolls the table of a key's values.
  /// - Parameters:
  ///   - count: of the table's rows.
  ///   - rows: that are in view.
  mutating func scrollValues(by distance: Int, of count: Int, rows: Int) {
    let last = max(0, count - rows)
    firstValue = min(max(min(firstValue, last) + distance, 0), last)
  }

  mutating func toggleTarget(_ id: TargetID) {
    if hiddenTargets.remove(id) == nil { hiddenTargets.insert(id) }
  }
}
