/// Actions of the dashboard that keys can have, by their names in the configuration and the command palette.
public enum DashboardAction: String, Sendable, Hashable, CaseIterable {
  // Panels
  case histogram
  case log
  case events
  case runs
  case targets
  case findings
  case nextPanel = "next-panel"
  case previousPanel = "previous-panel"
  case slideDirection = "slide-direction"
  case rotate

  // Time
  case panBack = "pan-back"
  case panForward = "pan-forward"
  case leapBack = "leap-back"
  case leapForward = "leap-forward"
  case zoomIn = "zoom-in"
  case zoomOut = "zoom-out"
  case follow
  case freeze
  case goTo = "go-to"
  case replay
  case faster
  case slower
  case fitRun = "fit-run"
  case back
  case annotate

  // Plot
  case scale
  case range
  case latencyIn = "latency-in"
  case latencyOut = "latency-out"
  case latencyUp = "latency-up"
  case latencyDown = "latency-down"
  case metric
  case bothLatencies = "both-latencies"
  case target
  case colors = "colours"
  case averages
  case buckets
  case bands
  case heatMap = "heat-map"
  case smallMultiples = "small-multiples"
  case threshold
  case thresholdDown = "threshold-down"
  case thresholdUp = "threshold-up"
  case compare

  // Selection
  case crosshair
  case previousNotification = "previous-notification"
  case nextNotification = "next-notification"
  case beginBox = "begin-box"
  case zoomToBox = "zoom-to-box"
  case chooseNext = "choose-next"
  case choosePrevious = "choose-previous"
  case list
  case exportSelection = "export-selection"
  case exportView = "export-view"
  case dragAction = "drag-action"
  case copy

  // Lists
  case lineUp = "line-up"
  case lineDown = "line-down"
  case pageUp = "page-up"
  case pageDown = "page-down"
  case halfPageUp = "half-page-up"
  case halfPageDown = "half-page-down"
  case listStart = "list-start"
  case listEnd = "list-end"
  case nextHit = "next-hit"
  case previousHit = "previous-hit"
  case onlyHits = "only-hits"
  case wholeLine = "whole-line"
  case fold
  case sort
  case columns

  // Runs
  case choose
  case mark
  case rename
  case delete
  case startStop = "start-stop"
  case filter

  // Dashboard
  case palette
  case help
  case theme
  case motion
  case releaseMouse = "release-mouse"
  case redraw
  case frameCost = "frame-cost"
  case suspend
  case quit
  case dismiss
}

/// A key with modifiers: `g`, `?`, `ctrl-p`, `shift-left`, `page-down`, `f5`, `space`; or two characters one after the
/// other: `g g`.
public struct KeyChord: Sendable, Hashable {
  /// A key without its modifiers.
  public enum Key: Sendable, Hashable {
    case character(Character)
    case enter, escape, tab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
  }

  public var key: Key
  public var hasControl: Bool
  public var hasAlt: Bool
  public var hasShift: Bool
  /// The character that is pressed before it; `nil` for a single key.
  public var prefix: Character?

  public init(
    _ key: Key, hasControl: Bool = false, hasAlt: Bool = false, hasShift: Bool = false,
    prefix: Character? = nil
  ) {
    self.prefix = prefix
    self.key = key
    self.hasControl = hasControl
    self.hasAlt = hasAlt
    self.hasShift = hasShift
  }

  private static let names: [(name: String, key: Key)] = [
    ("space", .character(" ")), ("enter", .enter), ("escape", .escape), ("tab", .tab),
    ("backspace", .backspace), ("delete", .delete), ("insert", .insert), ("up", .up), ("down", .down),
    ("left", .left), ("right", .right), ("home", .home), ("end", .end), ("page-up", .pageUp),
    ("page-down", .pageDown),
  ]

  private static let remedy =
    "write one character, or one of \(names.map(\.name).joined(separator: ", ")), f1 to f12; "
    + "optionally after ctrl-, alt- or shift-, or two characters like \"g g\""

  /// Parses a key. Characters are case-sensitive; names and modifiers are lower case.
  public static func parse(_ text: String) throws(ValueTextError) -> KeyChord {
    var chord = KeyChord(.enter)
    var rest = text[...]
    let parts = text.split(separator: " ")
    if parts.count == 2, let first = parts[0].first, parts[0].count == 1, parts[1].count == 1,
      key(String(first)) != nil
    {
      (chord.prefix, rest) = (first, parts[1])
    }
    while rest.count > 1 {
      if let cut = rest.removingPrefix("ctrl-") {
        (chord.hasControl, rest) = (true, cut)
      } else if let cut = rest.removingPrefix("alt-") {
        (chord.hasAlt, rest) = (true, cut)
      } else if let cut = rest.removingPrefix("shift-") {
        (chord.hasShift, rest) = (true, cut)
      } else {
        break
      }
    }
    guard let key = key(String(rest)) else {
      let words = names.map(\.name)
      guard rest.count > 2, let near = NearestWord.suggestion(for: String(rest), among: words) else {
        throw ValueTextError(text, "is not a key", remedy: remedy)
      }
      throw ValueTextError(text, "is not a key", remedy: "did you mean \"\(near)\"? (\(remedy))")
    }
    chord.key = key
    if case .character(let character) = key {
      guard !chord.hasShift else {
        throw ValueTextError(
          text, "combines shift with a character", remedy: "write the resulting character, like R or ?")
      }
      if chord.hasControl {
        guard character.isASCII, character.isLetter else {
          throw ValueTextError(
            text, "is not a key that terminals report", remedy: "combine ctrl with a letter: ctrl-a to ctrl-z"
          )
        }
        // Terminals report ctrl-a and ctrl-A alike.
        chord.key = .character(Character(character.lowercased()))
      }
    }
    return chord
  }

  private static func key(_ text: String) -> Key? {
    if let named = names.first(where: { $0.name == text }) { return named.key }
    if text.count == 1, let character = text.first {
      let isVisible = character.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
      }
      return isVisible ? .character(character) : nil
    }
    if text.first == "f", let number = Int(text.dropFirst()), (1...12).contains(number), text.count <= 3 {
      return .function(number)
    }
    return nil
  }
}

extension Substring {
  fileprivate func removingPrefix(_ prefix: String) -> Substring? {
    hasPrefix(prefix) && count > prefix.count ? dropFirst(prefix.count) : nil
  }
}
