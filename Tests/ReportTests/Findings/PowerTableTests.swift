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
    return PowerTable([
      DetectorRecord(
        target: "ios", variant: "", provider: "apns", endpoint: "", through: WallTime(microseconds: 0),
        cursor: 0,
        age: 86_400_000_000, learning: nil,
        power: [DetectionPower(metric: Stored(.delivery), rate: 1, steps: steps)])
    ])
  }

  private func fields(_ size: Double, _ length: Int64) -> String {
    table.json(finding: size, isShare: false, for: length).text
  }

  @Test("the answer in JSON is that in words")
  func find() {
    let found = fields(2, 120_000_000)
    #expect(found.contains("\"found\": true") && found.contains("\"delay_us\": 40000000"))
    #expect(found.contains("\"needed_rate\": 1"))
    #expect(table.lines(finding: 2, isShare: false, for: 120_000_000)[0].contains("is found at the present"))
    // Twice the rate, since it lasts half as long as one that is found.
    let missed = fields(1.5, 300_000_000)
    #expect(missed.contains("\"found\": false") && missed.contains("\"delay_us\": null"))
    #expect(missed.contains("\"needed_rate\": 2") && missed.contains("\"shortest_us\": 600000000"))
    #expect(
      table.lines(finding: 1.5, isShare: false, for: 300_000_000)[0].contains(
        "takes about 2 notifications a second; at the present 1 notification a second it has to last"))
    #expect(fields(1.1, 60_000_000).contains("\"needed_rate\": null"))
    #expect(table.json(finding: 0.05, isShare: true, for: 60_000_000).text == "{\"find\": []}")
  }
}
