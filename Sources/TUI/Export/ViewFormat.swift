/// How a view can be written.
enum ViewFormat: String, Sendable, Hashable, CaseIterable {
  case svg
  case ansi
  case csv

  /// What files of it are called at the end.
  var fileExtension: String { self == .ansi ? "ans" : rawValue }

  /// The key that chooses it.
  var key: Character {
    switch self {
    case .svg: "s"
    case .ansi: "a"
    case .csv: "c"
    }
  }

  var text: String {
    switch self {
    case .svg: "SVG picture, for pages and print"
    case .ansi: "ANSI text, for cat and less -R"
    case .csv: "CSV, a row for each stretch of cells"
    }
  }
}
