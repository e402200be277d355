extension YAMLMapping {
  /// The keys that ``secret(_:example:)`` reads.
  static func secretKeys(_ name: String) -> [String] { ["\(name)_file", name] }

  /// Reads `NAME_file`, a path to a secret, or `NAME`, a text that comes from the environment.
  ///
  /// - Parameter example: a line to write when neither is given; `nil` when it need not be.
  func secret(_ name: String, example: String?) -> SecretReference? {
    exclude("\(name)_file", with: name)
    if let path = self["\(name)_file"] { return path.secretFile().map { .file($0) } }
    if let text = self[name] { return text.secretText(fileKey: "\(name)_file").map { .text($0) } }
    if let example { _ = required("\(name)_file", example: example) }
    return nil
  }
}

extension YAMLValue {
  /// Reads a secret text, which must come from the environment: what is written in a configuration is soon in a
  /// repository. Line ends may be in it, as PEM has them.
  ///
  /// - Parameter fileKey: the key that takes a file instead.
  func secretText(fileKey: String) -> Secret? {
    guard let scalar = scalar() else { return nil }
    guard scalar.isExpanded else {
      report(
        "holds a secret in the clear",
        remedy: "write ${NAME} and set NAME in the environment, or name a file with \(fileKey)")
      return nil
    }
    guard scalar.text.contains(where: { !$0.isWhitespace }), scalar.text.utf8.count <= SecretFile.maximumBytes
    else {
      report(
        "is empty or longer than \(SecretFile.maximumBytes) bytes",
        remedy: "look at what the environment variable holds")
      return nil
    }
    return Secret(scalar.text)
  }
}
