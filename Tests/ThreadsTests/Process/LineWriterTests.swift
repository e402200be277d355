import Glibc
import TestKit
import Testing
import Threads

@Suite("Lines that nobody may wait for", .timeLimit(.minutes(10))) struct LineWriterTests {
  /// A pipe whose reader may not read.
  private final class Pipe {
    let input: Int32
    let output: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      (output, input) = (ends[0], ends[1])
    }

    deinit {
      close(input)
      close(output)
    }

    /// Takes all room, so that the next write waits.
    func fill() {
      let flags = fcntl(input, F_GETFL)
      _ = fcntl(input, F_SETFL, flags | O_NONBLOCK)
      let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
      while write(input, bytes, bytes.count) > 0 {}
      while write(input, bytes, 1) > 0 {}
      _ = fcntl(input, F_SETFL, flags)
    }

    /// Reads until a text comes.
    func text(through end: String) -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(output, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer[..<count]
        if String(decoding: bytes, as: UTF8.self).hasSuffix(end) { break }
      }
      return String(String(decoding: bytes, as: UTF8.self).drop { $0 == "x" })
    }
  }

  @Test(
    "a reader that does not read holds up nobody; what is missing is counted, and said once in its place",
    arguments: [false, true])
  func stalled(isFirstUnderWay: Bool) throws {
    let pipe = try Pipe()
    pipe.fill()
    // Two lines fit: each counts 5 bytes and some for its memory.
    let writer = try LineWriter(pipe.input, name: "test", capacity: 100) { "\($0) missing" }
    writer.write("line1")
    if isFirstUnderWay { usleep(100_000) }
    for number in 2...9 { writer.write("line\(number)") }
    #expect(writer.dropped == 7)
    #expect(!writer.flush(within: .milliseconds(20)))
    #expect(pipe.text(through: "missing\n") == "line1\nline2\n7 missing\n")
    #expect(writer.flush(within: .seconds(30)))
    writer.write("after")
    #expect(pipe.text(through: "after\n") == "after\n")
    #expect(writer.close(within: .seconds(30)))
    #expect(writer.dropped == 7)
  }

  @Test("a descriptor that does not block, too, gets every line") func nonBlocking() throws {
    let pipe = try Pipe()
    pipe.fill()
    _ = fcntl(pipe.input, F_SETFL, fcntl(pipe.input, F_GETFL) | O_NONBLOCK)
    let writer = try LineWriter(pipe.input, name: "test", capacity: 1 << 20) { "\($0) missing" }
    for number in 1...1_000 { writer.write("line \(number)") }
    let text = pipe.text(through: "line 1000\n")
    #expect(text.split(separator: "\n").count == 1_000)
    #expect(writer.close(within: .seconds(30)) && writer.dropped == 0)
  }

  @Test("lines that the descriptor refuses are counted") func refused() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let writer = try LineWriter(full, name: "test", capacity: 1 << 20) { "\($0) missing" }
    for _ in 1...3 { writer.write("line") }
    #expect(writer.close(within: .seconds(30)))
    #expect(writer.dropped == 3)
  }
}
