/// Where a secret is: in a file of its own, or in what the environment gave.
public enum SecretReference: Sendable, Hashable, CustomStringConvertible {
  case file(SecretFile)
  /// From `${NAME}`; the configuration itself never holds one.
  case text(Secret)

  /// The secret without the white space at its end.
  public func read() throws(FileReadError) -> [UInt8] {
    switch self {
    case .file(let file): return try file.read()
    case .text(let secret):
      let bytes = Array(secret.exposed.utf8)
      let end = bytes.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      return end.map { Array(bytes[...$0]) } ?? []
    }
  }

  /// The key as the configuration has it, of the two that a secret can be given by.
  /// - Parameter name: the one without `_file`.
  public func key(_ name: String) -> String {
    switch self {
    case .file: name + "_file"
    case .text: name
    }
  }

  /// Where to look when something is wrong with it.
  public var description: String {
    switch self {
    case .file(let file): "\"\(file.path.visiblePath)\""
    case .text: "the text from the environment"
    }
  }
}
