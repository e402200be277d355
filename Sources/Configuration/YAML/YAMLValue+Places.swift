import Yams

extension YAMLValue {
  /// Where the values of this mapping and of those in it stand, by the path of keys from here.
  func places() -> [String: FilePosition] {
    var places: [String: FilePosition] = [:]
    collect(node, below: "", into: &places)
    return places
  }

  private func collect(_ node: Node, below path: String, into places: inout [String: FilePosition]) {
    guard let mapping = node.mapping else { return }
    for (key, value) in mapping {
      guard let name = key.string else { continue }
      let mark = value.mark ?? key.mark
      places[path + name] = FilePosition(file: context.file, line: mark?.line, column: mark?.column)
      collect(value, below: path + name + ".", into: &places)
    }
  }
}
