/// A small file that is no secret: a certificate.
public struct PlainFile: Sendable, Hashable {
  public let path: String
  private let maximumBytes: Int

  public init(path: String, maximumBytes: Int = 64 * 1024) {
    self.path = path
    self.maximumBytes = maximumBytes
  }

  public func read() throws(FileReadError) -> [UInt8] {
    try ReadFile(path: path, maximumBytes: maximumBytes).bytes
  }
}
