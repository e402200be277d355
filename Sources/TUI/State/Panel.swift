/// What may stand below the plot, in the order of the tabs.
enum Panel: Int, Sendable, Hashable, CaseIterable {
  case histogram
  case log
  case events
  case runs

  /// As on its tab, without the number.
  var title: String {
    switch self {
    case .histogram: "Histogram"
    case .log: "Log"
    case .events: "Events"
    case .runs: "Runs"
    }
  }

  var next: Panel { Panel(rawValue: (rawValue + 1) % Panel.allCases.count) ?? .histogram }

  var previous: Panel {
    Panel(rawValue: (rawValue + Panel.allCases.count - 1) % Panel.allCases.count) ?? .histogram
  }
}
