/// A file that holds a secret, kept as its path until the secret is needed.
public struct SecretFile: Sendable, Hashable {
  public let path: String

  /// Larger files hold no secret of ours.
  static let maximumBytes = 64 * 1024

  public init(path: String) { self.path = path }

  /// Reads the secret without the white space at its end, which editors and `echo` leave there.
  ///
  /// Refused when others than the owner may read it, checked on the open file so that it cannot be swapped between.
  public func read() throws(FileReadError) -> [UInt8] {
    let file = try ReadFile(path: path, maximumBytes: Self.maximumBytes, isSecret: true)
    let end = file.bytes.lastIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let end else { throw FileReadError(code: .empty, path: path) }
    return Array(file.bytes[...end])
  }
}
