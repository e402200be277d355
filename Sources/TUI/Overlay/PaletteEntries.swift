import Configuration
import Measurement

/// A command with an argument that was typed.
enum TypedCommand: Sendable, Hashable {
  /// µs; `nil` for no line.
  case threshold(Int64?)
  case theme(String)
  /// Index; `nil` for all.
  case target(Int?)
  case goTo(String)
  case filter(String)
  case annotate(String)
  case color(MarkColoring)
}

/// A line of the palette.
struct PaletteEntry: Sendable, Equatable {
  let title: String
  /// The keys that do the same; the first is always shown.
  var strokes: [KeyStroke] = []
  /// `nil` for a line that says what is wrong.
  let command: Command?
}

/// The palette's commands that take an argument: `threshold 800ms`, `theme light`, `target fcm`, `go 14:05`, `color by network`.
struct PaletteArguments {
  /// Names of the themes.
  let themes: [String]
  /// Names of the run's targets.
  let targets: [String]
  /// What is wrong with a time to go to; `nil` when nothing is.
  let timeProblem: (String) -> String?

  /// The entries for a text: first those with an argument, then the commands found by words.
  func entries(for text: String, in keys: KeyTable) -> [PaletteEntry] {
    let found = CommandPalette.find(text, in: keys.bindings).map {
      PaletteEntry(title: $0.title, strokes: $0.strokes, command: $0.command)
    }
    let colorings = colorings(with: text)
    // What is named by the text comes before what only has its letters.
    let isNamed = found.contains { $0.title.lowercased().contains(text.lowercased()) }
    return typed(text) + (isNamed ? found + colorings : colorings + found)
  }

  /// What colors can stand for, where all words of a text are in it.
  private func colorings(with text: String) -> [PaletteEntry] {
    let words = text.lowercased().split(separator: " ")
    // With the first of them and an argument they are listed already.
    if words.count > 1, Self.colorWords.contains(String(words[0])) { return [] }
    return MarkColoring.names.compactMap { MarkColoring(name: $0) }.map(entry).filter { entry in
      words.allSatisfy { word in
        entry.title.split(separator: " ").contains {
          $0.hasPrefix(word) || $0 == "color" && "colour".hasPrefix(word)
        }
      }
    }
  }

  private static let colorWords = ["color", "colors", "colour", "colours"]

  private func entry(_ coloring: MarkColoring) -> PaletteEntry {
    PaletteEntry(title: "color by \(coloring.shortName)", command: .typed(.color(coloring)))
  }

  /// `color by network`, `color hour`, `color by label:region`.
  private func colorings(_ argument: String) -> [PaletteEntry] {
    let by = argument.lowercased() == "by" || argument.lowercased().hasPrefix("by ")
    let wanted = by ? String(argument.dropFirst(2)).trimmed : argument
    // The names of labels are as they were written.
    if wanted.hasPrefix("label:"), let label = MarkColoring(name: wanted) { return [entry(label)] }
    let names = MarkColoring.names.filter { $0.hasPrefix(wanted.lowercased()) }
    guard names.isEmpty else { return names.compactMap { MarkColoring(name: $0) }.map(entry) }
    let known = MarkColoring.names.joined(separator: ", ")
    return [PaletteEntry(title: "no color by \(wanted): there is \(known), label:NAME", command: nil)]
  }

  private func typed(_ text: String) -> [PaletteEntry] {
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
    guard words.count == 2 else { return [] }
    var (name, argument) = (words[0].lowercased(), words[1].trimmed)
    // "go to 14:05", "only goaway".
    if name == "go", argument.lowercased().hasPrefix("to ") {
      argument = String(argument.dropFirst(3)).trimmed
    }
    guard !argument.isEmpty else { return [] }
    if name == "go-to" { name = "go" }
    switch name {
    case "threshold": return [threshold(argument)]
    case "theme": return choices(argument, among: themes, kind: "theme") { .typed(.theme(themes[$0])) }
    case "target", "targets": return target(argument)
    case "go": return [entry("go to \(argument)", .goTo(argument), problem: timeProblem(argument))]
    case "filter", "only", "search":
      let problem = ListFilter.problem(in: argument)
      return [entry("only lines with \(argument)", .filter(argument), problem: problem)]
    case "annotate", "note":
      return [PaletteEntry(title: "annotate: \(argument)", command: .typed(.annotate(argument)))]
    case _ where Self.colorWords.contains(name): return colorings(argument)
    default: return []
    }
  }

  /// - Parameter problem: what is wrong with the argument; `nil` when nothing is.
  private func entry(_ title: String, _ command: TypedCommand, problem: String?) -> PaletteEntry {
    PaletteEntry(title: problem ?? title, command: problem == nil ? .typed(command) : nil)
  }

  private func threshold(_ text: String) -> PaletteEntry {
    if ["off", "none", "no"].contains(text.lowercased()) {
      return PaletteEntry(title: "no threshold line", command: .typed(.threshold(nil)))
    }
    guard let value = (try? DurationText.parse(text.filter { $0 != " " }))?.microseconds, value > 0,
      value <= Duration.days(1).microseconds
    else {
      return PaletteEntry(
        title: "\(text) is not a latency; write one like 800ms or 2s, or off", command: nil)
    }
    return PaletteEntry(
      title: "threshold line at \(LatencyText.text(value))", command: .typed(.threshold(value)))
  }

  private func target(_ text: String) -> [PaletteEntry] {
    if text.lowercased() == "all" {
      return [PaletteEntry(title: "all targets", command: .typed(.target(nil)))]
    }
    return choices(text, among: targets, kind: "target") { .typed(.target($0)) }
  }

  /// An entry for each name that has the text in it, those that begin with it first.
  private func choices(
    _ text: String, among names: [String], kind: String, _ command: (Int) -> Command
  ) -> [PaletteEntry] {
    let wanted = text.lowercased()
    let matching = names.indices.filter { names[$0].lowercased().contains(wanted) }
    let (first, rest) = (
      matching.filter { names[$0].lowercased().hasPrefix(wanted) },
      matching.filter { !names[$0].lowercased().hasPrefix(wanted) }
    )
    guard !matching.isEmpty else {
      let known = names.isEmpty ? "there is none" : "there is \(names.joined(separator: ", "))"
      return [PaletteEntry(title: "no \(kind) \(text): \(known)", command: nil)]
    }
    return (first + rest).map { PaletteEntry(title: "\(kind) \(names[$0])", command: command($0)) }
  }
}

extension String {
  /// The text without spaces at either end.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
