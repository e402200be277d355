/// A small file that is no secret: a certificate.
public struct PlainFile: Sendable, Hashable {
  public let path: String

  private static let maximumBytes = 64 * 1024

  public init(path: String) { self.path = path }

  public func read() throws(FileReadError) -> [UInt8] {
    try ReadFile(path: path, maximumBytes: Self.maximumBytes).bytes
  }
}
