import Formats
import Foundation
import Testing

@Suite struct FileDescriptorSinkTests {
  private func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func aReaderThatWentAwayIsAnErrorNotADeath() throws {
    OutputSignals.ignore()
    let ends = try pipe()
    close(ends.read)
    defer { close(ends.write) }
    let sink = FileDescriptorSink(descriptor: ends.write, name: "standard output")
    #expect(throws: OutputError(code: .closedPipe, name: "standard output", keepsPart: true)) {
      try sink.write("x")
    }
  }

  /// A pipe holds 64 KiB; the rest is refused at first when the descriptor does not block.
  @Test func waitsForASlowReaderAlsoWhereWritesDoNotBlock() async throws {
    let ends = try pipe()
    try #require(fcntl(ends.write, F_SETFL, O_NONBLOCK) == 0)
    let length = 1_000_000
    let reader = Task.detached {
      var total = 0
      var chunk = [UInt8](repeating: 0, count: 10_000)
      while true {
        let count = chunk.withUnsafeMutableBytes { read(ends.read, $0.baseAddress, $0.count) }
        if count <= 0 { break }
        total += count
      }
      close(ends.read)
      return total
    }
    let sink = FileDescriptorSink(descriptor: ends.write, name: "pipe")
    try sink.write(String(repeating: "x", count: length))
    close(ends.write)
    #expect(await reader.value == length)
  }
}
