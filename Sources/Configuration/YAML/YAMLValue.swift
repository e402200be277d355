import Yams

/// One value of a YAML file, with its position and key path.
///
/// The readers report a problem and return `nil`, so that decoding continues and finds all problems.
public struct YAMLValue {
  let node: Node
  /// Key path, like `targets[0].schedule`; empty for the top value.
  public let path: String
  /// Position of the key, for values without a position.
  let keyMark: Mark?
  let context: YAMLContext

  /// Position of the value's first character.
  public var place: FilePosition {
    let mark = node.mark ?? keyMark
    return FilePosition(file: context.file, line: mark?.line, column: mark?.column)
  }

  /// Adds a problem about this value.
  public func report(_ message: String, remedy: String) {
    context.add(ConfigurationProblem(place: place, key: path, message: message, remedy: remedy))
  }

  /// Whether it is a mapping: for keys that take either a word or a mapping.
  public var isMapping: Bool { node.mapping != nil }

  /// Whether it is a sequence: for keys that take one value or several.
  public var isSequence: Bool { node.sequence != nil }

  /// Reads a mapping with these keys; any other key is reported with the nearest of them.
  public func mapping(keys: [String]) -> YAMLMapping? {
    guard !isEmpty else { return nil }
    guard let mapping = node.mapping else {
      report(
        "is \(kind) where keys are required", remedy: "write keys below it: \(keys.joined(separator: ", "))")
      return nil
    }
    var values: [String: YAMLValue] = [:]
    var meant: Set<String> = []
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
        if let suggestion = NearestWord.suggestion(for: name, among: keys) { meant.insert(suggestion) }
        continue
      }
      values[name] = YAMLValue(node: value, path: child(name), keyMark: key.mark, context: context)
    }
    return YAMLMapping(value: self, values: values, meant: meant)
  }

  /// The value of a key without checking the others; `nil` when this is no mapping or has no such key.
  func peek(_ key: String) -> YAMLValue? {
    guard let (name, value) = node.mapping?.first(where: { $0.key.scalar?.string == key }) else { return nil }
    return YAMLValue(node: value, path: child(key), keyMark: name.mark, context: context)
  }

  /// The text of a key as it stands, of a mapping that could not be read.
  func peekText(_ key: String) -> String? {
    node.mapping?.first { $0.key.scalar?.string == key }?.value.scalar?.string
  }

  /// Reads a mapping with arbitrary keys, like headers, in file order.
  public func entries() -> [(key: String, value: YAMLValue)]? {
    guard !isEmpty else { return nil }
    guard let mapping = node.mapping else {
      report("is \(kind) where names and values are required", remedy: "write `name: value` below it")
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
      report("is \(kind) where a list is required", remedy: "write one `- ` line for each element, or [a, b]")
      return nil
    }
    return sequence.enumerated().map { index, node in
      YAMLValue(node: node, path: "\(path)[\(index)]", keyMark: keyMark, context: context)
    }
  }

  /// Whether the key has no value, which is reported: it could mean "none" or be an omission.
  var isEmpty: Bool {
    guard let scalar = node.scalar, scalar.style == .plain, ["", "~", "null"].contains(scalar.string) else {
      return false
    }
    report("has no value", remedy: "give one, or delete the key")
    return true
  }

  /// The kind of value, for messages.
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

/// A mapping whose keys have been checked.
public struct YAMLMapping {
  /// The mapping itself, for problems with it as a whole.
  public let value: YAMLValue
  let values: [String: YAMLValue]
  /// Known keys that reported unknown keys resemble.
  let meant: Set<String>

  /// The value of a key; `nil` when it is not given.
  public subscript(key: String) -> YAMLValue? { values[key] }

  /// The value of a key; reports a missing one, unless a misspelled one was reported in its place.
  ///
  /// - Parameter example: a line that the remedy shows, like `rate: 4/s`.
  public func required(_ key: String, example: String) -> YAMLValue? {
    if let found = values[key] { return found }
    guard !meant.contains(key) else { return nil }
    value.report("needs the key \"\(key)\"", remedy: "add a line like `\(example)`")
    return nil
  }

  /// Reports when both keys are given.
  public func exclude(_ key: String, with other: String) {
    guard values[key] != nil, let second = values[other] else { return }
    second.report("cannot be combined with \"\(key)\"", remedy: "keep one of the two")
  }
}

extension YAMLMapping {
  /// Reads `NAME_file`, the path of a secret file, or `NAME`, a text from the environment.
  ///
  /// - Parameter example: a line that the remedy shows when neither is given; `nil` for an optional secret.
  func secret(_ name: String, example: String?) -> SecretReference? {
    exclude("\(name)_file", with: name)
    if let path = self["\(name)_file"] { return path.secretFile().map { .file($0) } }
    if let text = self[name] { return text.secretText(fileKey: "\(name)_file").map { .text($0) } }
    if let example, !meant.contains(name) { _ = required("\(name)_file", example: example) }
    return nil
  }
}

extension YAMLValue {
  /// Reads a secret text, which must come from the environment, since configurations end up in repositories. It may
  /// contain line ends, as PEM does.
  ///
  /// - Parameter fileKey: key for a file instead.
  func secretText(fileKey: String) -> Secret? {
    guard let scalar = scalar() else { return nil }
    guard scalar.isExpanded else {
      report(
        "contains a secret as plain text",
        remedy: "write ${NAME} and set NAME in the environment, or name a file with \(fileKey)")
      return nil
    }
    guard scalar.text.contains(where: { !$0.isWhitespace }), scalar.text.utf8.count <= SecretFile.maximumBytes
    else {
      report(
        "is empty or longer than \(SecretFile.maximumBytes) bytes",
        remedy: "check the value of the environment variable")
      return nil
    }
    return Secret(scalar.text)
  }
}

extension YAMLValue {
  /// Positions of all values below this one, by key path from here.
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
