import ConstraintAnimation
import Glibc
import Measurement
import Testing

@testable import Terminal

@Suite("Frames go out whole or not at all")
struct FrameSinkTests {
  private let ends: (read: Int32, write: Int32)

  init() throws {
    var pair: [Int32] = [0, 0]
    try #require(pipe(&pair) == 0)
    for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    ends = (pair[0], pair[1])
  }

  private func received() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    let count = read(ends.read, &buffer, buffer.count)
    return count > 0 ? Array(buffer[..<count]) : []
  }

  private func close() {
    Glibc.close(ends.read)
    Glibc.close(ends.write)
  }

  @Test("a frame that is taken in pieces arrives in one")
  func pieces() {
    defer { close() }
    let sink = FrameSink(descriptor: ends.write)
    let (columns, rows) = (400, 120)
    let buffer = CellBuffer(columns: columns, rows: rows)
    var painter = RandomPainter(random: SeededGenerator(seed: 5))
    let writer = DiffWriter(columns: columns, rows: rows, profile: OutputProfile(colors: .trueColor))
    var model = ModelTerminal(columns: columns, rows: rows)
    model.feed("\u{1B}[?7l".utf8)
    for y in 0..<rows {
      for x in 0..<columns {
        buffer.fill(CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1), glyph: "x", style: painter.style())
      }
    }
    // Far more than a pipe holds.
    guard case .written(let bytes) = sink.present(buffer, cursor: nil, writer: writer) else {
      Issue.record("not written")
      return
    }
    #expect(bytes > 200_000 && sink.hasPending && sink.statistics.partialWrites == 1)
    #expect(sink.present(buffer, cursor: nil, writer: writer) == .skipped)
    #expect(sink.statistics.skippedFrames == 1)
    var seen: [UInt8] = []
    while sink.hasPending {
      seen += received()
      sink.flush()
    }
    seen += received()
    #expect(seen.count == bytes)
    model.feed(seen)
    #expect(Expectation.difference(between: buffer, and: model, colors: .trueColor) == nil)
    #expect(sink.present(buffer, cursor: nil, writer: writer) == .unchanged)
  }

  @Test("what belongs to no frame comes after the frame that waits")
  func order() {
    defer { close() }
    let sink = FrameSink(descriptor: ends.write)
    let first = [UInt8](repeating: 0x61, count: 100_000)
    first.withUnsafeBytes { sink.send($0) }
    #expect(sink.hasPending)
    // There is room again, but it belongs to what waits.
    var seen = received()
    "end".utf8.withContiguousStorageIfAvailable { sink.send(UnsafeRawBufferPointer($0)) }
    while sink.hasPending {
      seen += received()
      sink.flush()
    }
    seen += received()
    #expect(seen == first + Array("end".utf8))
  }

  @Test("what waits when the terminal is given back is dropped")
  func abandoning() {
    defer { close() }
    let sink = FrameSink(descriptor: ends.write)
    let bytes = [UInt8](repeating: 0x61, count: 100_000)
    bytes.withUnsafeBytes { sink.send($0) }
    sink.abandon()
    #expect(!sink.hasPending)
    let before = received().count
    sink.flush()
    #expect(before > 0 && received().isEmpty)
  }

  @Test("a reader that went away is not written to for ever")
  func gone() {
    Glibc.signal(SIGPIPE, SIG_IGN)
    Glibc.close(ends.read)
    defer { Glibc.close(ends.write) }
    let sink = FrameSink(descriptor: ends.write)
    let writer = DiffWriter(columns: 10, rows: 2, profile: OutputProfile(colors: .trueColor))
    let buffer = CellBuffer(columns: 10, rows: 2)
    let outcome = sink.present(buffer, cursor: nil, writer: writer)
    #expect(outcome == .failed || outcome == .skipped)
    #expect(!sink.hasPending)
  }
}
