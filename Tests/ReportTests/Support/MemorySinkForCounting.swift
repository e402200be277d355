import Formats

/// Counts bytes and keeps none.
final class MemorySinkForCounting: ByteSink {
  private(set) var count = 0

  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { count += bytes.count }
}
