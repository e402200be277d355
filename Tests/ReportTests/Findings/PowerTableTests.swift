import Analysis
import Findings
import Formats
import Measurement
import Report
import Store
import Testing

/// What would be found of a change that is asked for.
@Suite struct PowerTableTests {
  private var table: PowerTable {
    let steps = [
      DetectionPower.Step(length: 60_000_000, size: 2, delay: 40_000_000),
      DetectionPower.Step(length: 600_000_000, size: 1.5, delay: 300_000_000),
    ]
    return Self.table([DetectionPower(metric: Stored(.delivery), rate: 1, steps: steps)])
  }

  /// - Parameters:
  ///   - age: recorded seconds.
  ///   - isYoung: whether two days are not known yet.
  private static func table(_ power: [DetectionPower]?, age: Int64 = 86_400, isYoung: Bool = false)
    -> PowerTable
  {
    PowerTable([
      WatchedSeries(
        DetectorRecord(
          target: "ios", variant: "", provider: "apns", endpoint: "", through: WallTime(microseconds: 0),
          cursor: 0, age: age * 1_000_000, learning: isYoung ? 172_800_000_000 : nil, power: power), [])
    ])
  }

  private func fields(_ size: Double, _ length: Duration) -> String {
    table.json(finding: size, isShare: false, for: length).text
  }

  @Test("the answer in JSON is that in words")
  func find() {
    let found = fields(2, .seconds(120))
    #expect(found.contains("\"found\": true") && found.contains("\"delay_us\": 40000000"))
    #expect(found.contains("\"needed_rate\": 1"))
    #expect(table.lines(finding: 2, isShare: false, for: .minutes(2))[0].contains("is found at the present"))
    // Twice the rate, since it lasts half as long as one that is found.
    let missed = fields(1.5, .seconds(300))
    #expect(missed.contains("\"found\": false") && missed.contains("\"delay_us\": null"))
    #expect(missed.contains("\"needed_rate\": 2") && missed.contains("\"shortest_us\": 600000000"))
    #expect(
      table.lines(finding: 1.5, isShare: false, for: .minutes(5))[0].contains(
        "takes about 2 notifications a second; at the present 1 notification a second it has to last"))
    #expect(fields(1.1, .seconds(60)).contains("\"needed_rate\": null"))
    #expect(table.json(finding: 0.05, isShare: true, for: .minutes(1)).text == "{\"find\": []}")
  }

  @Test("what is missing is said, and when there will be enough")
  func missing() {
    // What a series without a rate is compared with takes 15 s, and so much again.
    let short = Self.table([], age: 20, isYoung: true)
    let words =
      "ios: nothing yet, since the outcome of 20 s is known, and it takes 30 s; record for 10 s more"
    #expect(short.lines == [words])
    #expect(short.lines(finding: 1.5, isShare: false, for: .minutes(1)) == [words])
    #expect(
      Self.table(nil).lines == ["ios: not known, since only collectors of older versions have recorded it"])
    #expect(PowerTable([]).lines == ["no collector has watched these targets for changes"])
    #expect(
      Self.table([]).lines == [
        "ios: too little is recorded yet to judge arrivals and answers",
        "ios: too little is recorded yet to judge losses, failures and refusals",
      ])
    let followed = DetectionPower(metric: Stored(.lost), rate: 4, steps: [], isFollowed: true)
    #expect(
      Self.table([followed]).lines.contains(
        "ios, lost: not now, while a change of it goes on (pushscope findings)"))
    let wandering = DetectionPower(metric: Stored(.delivery), rate: 4, steps: [])
    #expect(
      Self.table([wandering], age: 600, isYoung: true).lines(finding: 1.5, isShare: false, for: .minutes(1))
        == [
          "ios, delivery: nothing can be promised now, since what is recorded is too little, or varies too much"
        ])
  }

  @Test("of what is missing of one of the two it is said which; what a reload removed has none")
  func missingOfOne() {
    let delivery = DetectionPower(
      metric: Stored(.delivery), rate: 1, steps: [.init(length: 5_000_000, size: 2, delay: 5_000_000)])
    let lines = Self.table(
      [delivery, DetectionPower(metric: Stored(.lost), rate: 1, steps: [])], age: 20, isYoung: true
    )
    .lines
    #expect(
      lines.contains {
        $0.hasPrefix("ios, losses, failures and refusals: nothing yet, since the outcome of 20 s ")
      },
      "\(lines)")
    let removed = WatchedSeries(
      DetectorRecord(
        target: "web", variant: "", provider: "apns", endpoint: "", through: WallTime(microseconds: 0),
        cursor: 0, age: 60_000_000, learning: nil, power: [delivery]), [], isRemoved: true)
    #expect(PowerTable([removed]).lines == ["web: nothing any more, since a reload removed it"])
    #expect(
      PowerTable([removed]).lines(finding: 2, isShare: false, for: .minutes(1))
        == ["web: nothing any more, since a reload removed it"])
  }

  @Test("a young series says why a change is not found")
  func young() {
    let steps = [DetectionPower.Step(length: 60_000_000, size: 2, delay: 40_000_000)]
    let table = Self.table(
      [DetectionPower(metric: Stored(.delivery), rate: 1, steps: steps)], age: 120, isYoung: true)
    let long = table.lines(finding: 1.5, isShare: false, for: .minutes(5))[0]
    #expect(
      long.hasSuffix(
        "is not found: only 2 min are recorded so far, and such a change has to fit in; record for 3 min more"
      ), "\(long)")
    let small = table.lines(finding: 1.5, isShare: false, for: .minutes(1))[0]
    #expect(
      small.hasSuffix("is not found yet: 2 min are recorded, which is too little to tell it from chance"),
      "\(small)")
    #expect(
      table.lines.last
        == "A change has to fit into what is recorded, which is 2 min so far; smaller ones are found once more is recorded, most of them after two days."
    )
    #expect(!self.table.lines.contains { $0.hasPrefix("A change has to fit") }, "two days are known")
    // Of losses nothing is known.
    #expect(
      table.lines(finding: 0.05, isShare: true, for: .minutes(1))[0].contains(
        "too little is recorded yet to judge losses")
    )
  }
}
