import Measurement
import Store
import Testing

@testable import Analysis

@Suite struct ConditionWordsTests {
  private static let now = TargetStatusTests.now
  private static func ago(days: Double) -> WallTime { now.advanced(byMicroseconds: -Int64(days * 86_400e6)) }

  private func needs(
    _ conditions: Condition..., isRunning: Bool = true, collectingSince: WallTime? = Self.ago(days: 30),
    left: Set<String> = [],
    free: Int64 = 100
  ) -> [String] {
    ConditionWords.needs(
      conditions, isRunning: isRunning, collectingSince: collectingSince, left: left,
      space: DiskSpace(free: free, total: 1_000),
      at: Self.now)
  }

  private static func certificate(from: Double, to: Double) -> Condition {
    Condition(.certificate, "the receipt listener", since: ago(days: from), until: ago(days: to))
  }

  @Test(
    "certificates that end soon, for what their validity is, and those that ended",
    arguments: [
      (certificate(from: 81, to: -9), "the receipt listener's certificate ends in 9 d"),
      (certificate(from: 70, to: -20), nil),
      (certificate(from: 3, to: -3), nil),
      (certificate(from: 5, to: -1), "the receipt listener's certificate ends in 24 h"),
      (certificate(from: 90, to: 0.5), "the receipt listener's certificate ended 12 h ago"),
      (certificate(from: -0.5, to: -90), "the receipt listener's certificate is not valid for another 12 h"),
    ] as [(Condition, String?)])
  func certificates(_ certificate: Condition, _ text: String?) {
    #expect(needs(certificate) == [text].compactMap { $0 })
  }

  @Test(
    "a device is told of that was heard before, and is not heard for three days while something is recorded")
  func devices() {
    func device(_ name: String, _ days: Double) -> Condition {
      Condition(.device, name, since: Self.ago(days: days))
    }
    #expect(needs(device("tablet", 2.9)).isEmpty)
    #expect(needs(device("tablet", 3.5)) == ["device tablet not heard for 3 d 12 h"])
    #expect(needs(device("tablet", 9), left: ["tablet"]).isEmpty, "it left")
    #expect(needs(device("tablet", 9), collectingSince: nil).isEmpty)
    #expect(needs(device("tablet", 9), collectingSince: Self.ago(days: 2)).isEmpty, "nobody listened before")
    #expect(
      needs(device("a", 9), device("b", 4), device("c", 5), device("d", 6))
        == ["devices b, c, d and 1 more not heard for at least 4 d"])
    #expect(needs(device("\u{1B}[2J", 4)).first?.contains("\u{1B}") == false)
  }

  @Test func aDiskThatDoesNotTakeWhatIsRecorded() {
    let failing = Condition(.sync, since: Self.ago(days: 0.125), detail: "Input/output error")
    #expect(
      needs(failing) == [
        "the disk has not taken what is recorded for 3 h (Input/output error): a power failure would cost it"
      ])
    #expect(needs(failing, isRunning: false).isEmpty)
  }

  @Test("a disk that fills up, by how its free space went down")
  func disk() {
    func noted(_ days: Double, _ free: Int64) -> Condition {
      Condition(.disk, "\(days)", since: Self.ago(days: days), detail: "\(free)")
    }
    #expect(needs(noted(4, 110), noted(1, 105)) == ["disk full in about 40 days"])
    #expect(needs(noted(4, 101)).isEmpty, "in 400 days")
    #expect(needs(noted(4, 90)).isEmpty, "there is more than before")
    #expect(needs(noted(0.5, 200)).isEmpty, "half a day says nothing")
    #expect(needs(noted(2, 1_000)) == ["disk full within a day"])
    #expect(needs(noted(4, 110), free: 0).first == "disk full within a day")
  }

  @Test func aBackupThatIsOld() {
    let backup = Condition(.backup, since: Self.ago(days: 12), detail: "/backup/p.sqlite")
    #expect(needs(backup) == ["the last backup is 12 d old (/backup/p.sqlite)"])
    #expect(needs(Condition(.backup, since: Self.ago(days: 6), detail: "/b")).isEmpty)
  }

  /// A store that was edited or damaged.
  @Test(arguments: [Int64.min, .max].map(WallTime.init(microseconds:)))
  func timesAtTheEndsOfTheirTypeAreSaid(_ time: WallTime) {
    for kind in Condition.Kind.allCases {
      _ = needs(Condition(kind, "x", since: time, until: time, detail: "\(Int64.max)"))
      _ = needs(Condition(kind, "x", since: time, detail: "no number"), collectingSince: time)
    }
  }
}
