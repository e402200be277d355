import FoundationEssentials
import Measurement
import Testing

@Suite struct IdentityTests {
  private let time = WallTime(microseconds: 1_772_366_400_000_250)

  private func run(_ seed: UInt64) -> RunID {
    var generator = SeededGenerator(seed: seed)
    return RunID(at: time, using: &generator)
  }

  @Test func aRunIsAVersion7UUID() throws {
    let id = run(1)
    let text = id.description
    #expect(text == text.lowercased())
    #expect(text.count == 36)
    #expect(Array(text)[14] == "7")
    #expect("89ab".contains(Array(text)[19]))
    #expect(RunID(text) == id)
    #expect(RunID(text.uppercased()) == id)
    #expect(RunID("not a uuid") == nil)
    // The first 48 bits are the Unix time in milliseconds.
    let milliseconds = try #require(Int64(text.replacing("-", with: "").prefix(12), radix: 16))
    #expect(milliseconds == 1_772_366_400_000)
    #expect(run(1) == id)
    #expect(run(2) != id)
  }

  @Test func runsSortByTheirStart() {
    var generator = SeededGenerator(seed: 3)
    let ids = (0..<50).map { RunID(at: time.advanced(byMicroseconds: $0 * 1_000), using: &generator) }
    #expect(ids == ids.sorted())
    #expect(ids.map(\.description) == ids.map(\.description).sorted())
  }

  @Test func aSampleIsItsTargetAndSequence() {
    let id = SampleID(target: TargetID(rawValue: 5), sequence: 77)
    #expect(id.target == TargetID(rawValue: 5))
    #expect(id.sequence == 77)
    let last = SampleID(target: .maximum, sequence: SampleID.sequenceMask)
    #expect(last.rawValue == 1 << 62 - 1)
    #expect(last.target == .maximum)
    #expect(last.sequence == SampleID.sequenceMask)
    #expect(id < SampleID(target: TargetID(rawValue: 5), sequence: 78))
    #expect(
      SampleID(target: TargetID(rawValue: 5), sequence: 1 << 39)
        < SampleID(target: TargetID(rawValue: 6), sequence: 1))
  }

  @Test func aNotificationSaysWhatItIs() throws {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<200 {
      let run = RunID(at: time, using: &generator)
      let sample = SampleID(
        target: TargetID(rawValue: Int64.random(in: 1...TargetID.maximum.rawValue, using: &generator)),
        sequence: Int64.random(in: 1...SampleID.sequenceMask, using: &generator))
      let id = NotificationID(run: run, sample: sample)
      let text = id.description
      // Version 8 and the variant of RFC 9562.
      #expect(Array(text)[14] == "8")
      #expect("89ab".contains(Array(text)[19]))
      let read = try #require(NotificationID(text))
      #expect(read == id)
      #expect(read.sample == sample)
      #expect(read.runFingerprint == run.fingerprint)
    }
  }

  @Test func otherUUIDsAreNotTakenForNotifications() {
    #expect(NotificationID("") == nil)
    #expect(NotificationID(run(1).description) == nil)
    #expect(NotificationID("6ba7b810-9dad-11d1-80b4-00c04fd430c8") == nil)
    // Version 8, but another variant.
    #expect(NotificationID("6ba7b810-9dad-81d1-c0b4-00c04fd430c8") == nil)
  }

  @Test func halvesOfAUUIDComeBack() {
    let uuid = UUID()
    #expect(UUID(high: uuid.words.high, low: uuid.words.low) == uuid)
    #expect(UUID(high: 0x0123_4567_89AB_CDEF, low: 1).uuidString == "01234567-89AB-CDEF-0000-000000000001")
  }
}
