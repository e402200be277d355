import FoundationEssentials
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing
import Threads

@testable import Analyst
@testable import Monitoring

@Suite("What collector and analyst say to each other") struct AnalystMessageTests {
  @Test("a message that comes in pieces is read whole, and two in one piece are two") func pieces() throws {
    let news = AnalystNews.heard(
      HeardTargets(targets: ["ios": .init(isInRun: true, askedRate: 0.5, count: 7)]))
    let frame = try MessageFrame.encode(CollectorMessage.news(news))
    var buffer = MessageBuffer()
    for byte in frame.dropLast() {
      buffer.append([byte])
      let early = try buffer.next(CollectorMessage.self)
      #expect(early == nil)
    }
    buffer.append([frame[frame.count - 1]] + frame)
    for _ in 0..<2 {
      guard case .news(.heard(let heard)) = try buffer.next(CollectorMessage.self) else {
        Issue.record("another message")
        return
      }
      #expect(heard.targets["ios"]?.count == 7)
    }
    let late = try buffer.next(CollectorMessage.self)
    #expect(late == nil)
  }

  @Test("what is too long is refused at both ends") func bounds() throws {
    var buffer = MessageBuffer()
    buffer.append([0, 0, 0x80, 0x80])
    do {
      _ = try buffer.next(CollectorMessage.self)
      Issue.record("it was taken")
    } catch {
      #expect(error as? MessageError == .tooLarge(bytes: 0x8080_0000))
    }
    var changes = FindingChanges()
    changes.log = [
      LogLine(
        at: WallTime(microseconds: 1), level: .error, label: "x",
        message: String(repeating: "x", count: MessageFrame.maximumBytes))
    ]
    #expect(throws: MessageError.self) {
      try MessageFrame.encode(AnalystMessage.request(.saveFindings(changes)))
    }
  }

  @Test("garbage is an error, not a crash") func garbage() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      var buffer = MessageBuffer()
      let count = Int.random(in: 0..<200, using: &random)
      buffer.append([UInt8(count & 0xFF), 0, 0, 0])
      buffer.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
      #expect(throws: (any Error).self) { try buffer.next(AnalystMessage.self) }
    }
  }

  @Test("what a detector knows takes a third more bytes than it has, and infinite statistics survive")
  func checkpoint() throws {
    var change = DetectorChange(
      DetectorRecord(
        target: "ios", variant: "", provider: "apns", endpoint: "https://example.com:443",
        through: WallTime(microseconds: 5), cursor: 3, age: 1, learning: nil))
    change.checkpoint = DetectorCheckpointRecord(
      through: WallTime(microseconds: 5), state: (0..<90_000).map { UInt8(truncatingIfNeeded: $0) })
    var changes = FindingChanges()
    changes.detectors = [change]
    let frame = try MessageFrame.encode(AnalystMessage.request(.saveFindings(changes)))
    #expect(frame.count < 122_000)
    var buffer = MessageBuffer()
    buffer.append(frame)
    guard case .request(.saveFindings(let read)) = try buffer.next(AnalystMessage.self) else {
      Issue.record("another message")
      return
    }
    #expect(read.detectors.first?.checkpoint == change.checkpoint)
    var record = AlertRecord(
      id: "a", fingerprint: "b", kind: .finding, labels: [:], annotations: [:],
      startedAt: WallTime(microseconds: 1))
    record.endedAt = WallTime(microseconds: .max)
    #expect(try MessageFrame.decode(MessageFrame.encode(record)[4...]) == record)
    #expect(try MessageFrame.decode(MessageFrame.encode([Double.infinity])[4...]) == [Double.infinity])
  }

  @Test(
    "a line of progress is read as it was written, whatever a target is called",
    arguments: [
      ProgressLine.beat, .step(.findings, .began("ios")), .step(.alerts, .goesOn), .step(.forward, .rests),
      .died(.objectives, unit: "fast ios"),
    ])
  func progress(_ line: ProgressLine) {
    #expect(line.text.hasSuffix("\n"))
    #expect(ProgressLine(line.text.dropLast()) == line)
  }

  @Test("a name with a line break or of a kilobyte is one short line") func names() {
    let line = ProgressLine.died(.findings, unit: "a\nb" + String(repeating: "ü", count: 1_000)).text
    #expect(line.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
    #expect(line.utf8.count < 256)
    for text in ["", "began", "began nobody x", "gone findings", "died"] {
      #expect(ProgressLine(text[...]) == nil, "\(text)")
    }
  }
}
