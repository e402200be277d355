/// Keeps what is written, for texts that are small.
public final class MemorySink: ByteSink {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { self.bytes += bytes }

  public var text: String { String(decoding: bytes, as: UTF8.self) }
}
