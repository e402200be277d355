import Yams

/// One value of a YAML file, with its place and the path of keys that leads to it.
///
/// The readers return `nil` after having reported what is wrong, so that decoding goes on and finds the next mistake.
public struct YAMLValue {
  let node: Node
  /// The keys that lead here, like `targets[0].schedule`; empty for the file's top.
  public let path: String
  /// Where its key stands, for values that have no place of their own.
  let keyMark: Mark?
  let context: YAMLContext

  /// Where the value begins.
  public var place: FilePosition {
    let mark = node.mark ?? keyMark
    return FilePosition(file: context.file, line: mark?.line, column: mark?.column)
  }

  /// Notes a mistake about this value.
  public func report(_ message: String, remedy: String) {
    context.add(ConfigurationProblem(place: place, key: path, message: message, remedy: remedy))
  }

  /// Whether it is a mapping: for keys that take either a word or a mapping.
  public var isMapping: Bool { node.mapping != nil }

  /// Whether it is a sequence: for keys that take one value or several.
  public var isSequence: Bool { node.sequence != nil }

  /// Reads a mapping that may have these keys; any other is reported with the nearest of them.
  public func mapping(keys: [String]) -> YAMLMapping? {
    guard !isEmpty else { return nil }
    guard let mapping = node.mapping else {
      report(
        "is \(kind) where keys are needed", remedy: "write keys below it: \(keys.joined(separator: ", "))")
      return nil
    }
    var values: [String: YAMLValue] = [:]
    for (key, value) in mapping {
      guard let name = key.scalar?.string else {
        keyProblem(
          key, name: "", "a key must be a plain word", remedy: "keys: \(keys.joined(separator: ", "))")
        continue
      }
      guard keys.contains(name) else {
        let remedy =
          name == "<<"
          ? "merging is not supported: write the keys out"
          : NearestWord.remedy(for: name, among: keys, noun: "keys here")
        keyProblem(key, name: name, "there is no such key", remedy: remedy)
        continue
      }
      values[name] = YAMLValue(node: value, path: child(name), keyMark: key.mark, context: context)
    }
    return YAMLMapping(value: self, values: values)
  }

  /// The value of a key, without looking at the others; `nil` when this is no mapping or has no such key.
  func peek(_ key: String) -> YAMLValue? {
    guard let (name, value) = node.mapping?.first(where: { $0.key.scalar?.string == key }) else { return nil }
    return YAMLValue(node: value, path: child(key), keyMark: name.mark, context: context)
  }

  /// Reads a mapping whose keys are free, like headers; in the order of the file.
  public func entries() -> [(key: String, value: YAMLValue)]? {
    guard !isEmpty else { return nil }
    guard let mapping = node.mapping else {
      report("is \(kind) where names and values are needed", remedy: "write `name: value` below it")
      return nil
    }
    var entries: [(key: String, value: YAMLValue)] = []
    for (key, value) in mapping {
      guard let name = key.scalar?.string, !name.isEmpty else {
        keyProblem(key, name: "", "a name must be a plain word", remedy: "write `name: value`")
        continue
      }
      entries.append((name, YAMLValue(node: value, path: child(name), keyMark: key.mark, context: context)))
    }
    return entries
  }

  /// Reads a sequence.
  public func sequence() -> [YAMLValue]? {
    guard !isEmpty else { return nil }
    guard let sequence = node.sequence else {
      report("is \(kind) where a list is needed", remedy: "write one `- ` line for each element, or [a, b]")
      return nil
    }
    return sequence.enumerated().map { index, node in
      YAMLValue(node: node, path: "\(path)[\(index)]", keyMark: keyMark, context: context)
    }
  }

  /// True, and reported, when the key has no value: nobody can tell whether that was meant as "none" or forgotten.
  var isEmpty: Bool {
    guard let scalar = node.scalar, scalar.style == .plain, ["", "~", "null"].contains(scalar.string) else {
      return false
    }
    report("has no value", remedy: "give one, or delete the key")
    return true
  }

  /// What it is, in words for people.
  var kind: String {
    switch node {
    case .scalar: "a single value"
    case .mapping: "a set of keys"
    case .sequence: "a list"
    case .alias: "a reference"
    }
  }

  private func child(_ name: String) -> String {
    path.isEmpty ? name.visibleText : "\(path).\(name.visibleText)"
  }

  private func keyProblem(_ key: Node, name: String, _ message: String, remedy: String) {
    let mark = key.mark
    context.add(
      ConfigurationProblem(
        place: FilePosition(file: context.file, line: mark?.line, column: mark?.column),
        key: name.isEmpty ? path : child(name), message: message, remedy: remedy))
  }
}
