import Foundation
import TestKit
import TestTraits
import Testing

@Suite("A device on another machine", .ownThread, .serialized)
struct RemoteDeviceTests {
  /// Rows of the device's script, by notification: when it truly received each, µs of this host's monotonic clock.
  private func receptions(_ file: String) throws -> [String: Int64] {
    struct Line: Decodable {
      var entry: String
      var id: String
      var received_us: Int64?
    }
    var found: [String: Int64] = [:]
    for text in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
      if line.entry == "reception" { found[line.id] = line.received_us }
    }
    return found
  }

  @Test(
    "the true latency lies inside the bound of every delivery, however wrong the device's clock",
    .timeLimit(.minutes(10)),
    arguments: [
      ["--clock-skew", "-90s", "--clock-drift", "450ppm", "--delay", "60ms", "--delay-back", "2ms"],
      ["--clock-skew", "36h", "--clock-drift", "-300ppm", "--delay", "1ms", "--delay-back", "40ms"],
    ])
  func truthIsInside(clock: [String]) throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 10s"])
    let script = installation.directory.file("truth.jsonl")
    let device = try RunningProcess(
      Programs.pushscope,
      [
        "device", "--port", "\(installation.loopbackPort)", "--credentials",
        installation.directory.file("loopback"),
        "--receipts", "https://127.0.0.1:\(installation.receiptsPort)", "--name", "far-away", "--script",
        script,
        "--count", "120",
      ] + clock)
    try device.waitFor(output: "https://")
    let collector = try installation.collect(["--count", "120"])
    #expect(try collector.waitForExit() == 0)
    #expect(try device.waitForExit() == 0, "it ends by itself")

    #expect(try installation.states() == ["delivered": 120])
    let truths = try receptions(script)
    #expect(truths.count == 120)
    let rows = try installation.query(
      """
      SELECT v.notification_id, s.planned_monotonic_us, v.delivery_us, v.delivery_error_us, v.duplicates
      FROM sample_view v JOIN sample s ON s.id & 1099511627775 = v.sequence ORDER BY v.sequence
      """)
    #expect(rows.count == 120)
    for row in rows {
      let truth = try #require(truths[row[0]])
      let numbers = try row.dropFirst().map { try #require(Int64($0)) }
      let (planned, latency, error) = (numbers[0], numbers[1], numbers[2])
      #expect(abs(latency - (truth - planned)) <= error, "\(row)")
      // Half of the 62 ms round trip plus queueing; the device's own clock is hours off.
      #expect(error < 60_000_000, "\(row)")
      #expect(numbers[3] == 0, "nothing was told twice")
    }
    let receipts = try installation.query(
      "SELECT count(*), sum(same_clock), sum(offset_us IS NULL) FROM receipt")
    #expect(receipts == [["120", "0", "0"]])
    let events = try installation.query(
      "SELECT count(*), min(detail LIKE 'the clock of far-away is %') FROM event_view WHERE kind = 'clock_offset'"
    )
    #expect(events == [["1", "1"]])
    #expect(try installation.query("SELECT count(*) >= 3 FROM clock_exchange") == [["1"]])
    let export = try run(Programs.pushscope, ["export", "receipts", "--store", installation.store]).output
    let lines = export.split(separator: "\r\n")
    #expect(
      lines.first
        == "run,target,sequence,notification_id,device,received_at,arrived_at,same_clock,offset_us,offset_error_us,duplicate,shown_at,opened_at,provider_at,context"
    )
    #expect(lines.dropFirst().allSatisfy { $0.contains(",far-away,") && $0.contains(",false,") })
  }

  @Test(
    "the collector is away for a while: receipts are kept, and none counts twice", .timeLimit(.minutes(10)))
  func patient() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 60s"])
    let device = try RunningProcess(
      Programs.pushscope,
      [
        "device", "--port", "\(installation.loopbackPort)", "--credentials",
        installation.directory.file("loopback"),
        "--receipts", "https://127.0.0.1:\(installation.receiptsPort)", "--clock-skew", "5s", "--delay",
        "400ms",
      ])
    try device.waitFor(output: "https://")
    let first = try installation.collect([])
    try installation.waitFor("delivered", over: 10, by: first)
    try first.kill()
    let second = try installation.collect(["--count", "20"])
    #expect(try second.waitForExit() == 0)
    let states = try installation.states()
    #expect(states["planned"] == nil && states["in_flight"] == nil)
    #expect((states["delivered"] ?? 0) > 20, "also of the run that was cut off")
    #expect(try installation.query("SELECT sum(duplicates) FROM sample_view") == [["0"]])
    #expect(try device.stop() == 0)
  }

  @Test(
    "says what it showed and where it was: stored, exported and summed up", .timeLimit(.minutes(10)))
  func stages() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 10s"])
    let script = installation.directory.file("truth.jsonl")
    let device = try RunningProcess(
      Programs.pushscope,
      [
        "device", "--port", "\(installation.loopbackPort)", "--credentials",
        installation.directory.file("loopback"), "--receipts",
        "https://127.0.0.1:\(installation.receiptsPort)", "--script", script, "--shown-after", "150ms",
        "--unseen", "25%", "--network", "cellular",
      ])
    try device.waitFor(output: "https://")
    let collector = try installation.collect(["--count", "200"])
    #expect(try collector.waitForExit() == 0)
    #expect(try device.stop() == 0)
    #expect(try installation.states() == ["delivered": 200])
    let text = try String(contentsOfFile: script, encoding: .utf8)
    let shown = text.split(separator: "\n").count { $0.contains("\"shown_after_us\":150000") }
    #expect((120..<180).contains(shown))
    // The first that are not shown come before the device has shown one.
    let rows = try installation.query(
      """
      SELECT count(shown_us), sum(display = 1), sum(shown_us - delivery_us BETWEEN 149000 AND 151000),
        count(DISTINCT context_id), sum(context_id IS NULL) FROM sample
      """)
    #expect(rows == [["\(shown)", "\(shown)", "\(shown)", "1", "0"]])
    #expect(try installation.query("SELECT context FROM context") == [[#"{"network":"cellular"}"#]])
    let unseen = try installation.query("SELECT sum(display = 0) FROM sample")[0][0]
    #expect((Int(unseen) ?? 0) > 20)
    let counted = try installation.query("SELECT sum(display_expected), sum(displayed) FROM tally")
    #expect(counted == [["\(shown + (Int(unseen) ?? 0))", "\(shown)"]])
    let receipts = try run(Programs.pushscope, ["export", "receipts", "--store", installation.store]).output
    #expect(receipts.split(separator: "\r\n").count == 201, "one row for each receipt")
    #expect(receipts.contains(#","{""network"":""cellular""}""#))
    let summary = try run(Programs.pushscope, ["summary", "--store", installation.store]).output
    #expect(summary.contains("shown") && summary.contains("unseen"), "\(summary)")
    let samples = try run(Programs.pushscope, ["export", "samples", "--store", installation.store]).output
    #expect(samples.prefix { $0 != "\r\n" }.hasSuffix(",shown_us"))
  }

  @Test(
    "arguments that make no sense are refused",
    arguments: [
      ["--clock-skew", "soon"], ["--clock-drift", "fast"], ["--port", "70000"], ["--count", "0"],
      ["--name", ""], ["--network", "5g"], ["--asleep", "10m"], ["--asleep", "10m/30s"], ["--unseen", "10%"],
      ["--shown-after", "1s", "--unseen", "150%"],
    ])
  func refuses(arguments: [String]) throws {
    let result = try run(
      Programs.pushscope, ["device", "--receipts", "https://127.0.0.1:1"] + arguments)
    #expect(result.status == 64)
    #expect(result.error.hasPrefix("pushscope: "))
    #expect(result.output.isEmpty)
  }
}
