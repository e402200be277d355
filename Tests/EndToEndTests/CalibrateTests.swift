import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Calibration", .ownThread, .serialized)
struct CalibrateTests {
  @Test("the floor of this host is measured, stored, and shown with later runs", .timeLimit(.minutes(10)))
  func floor() throws {
    let installation = try Installation(target: ["receipt_deadline: 2s"])
    let calibrate = ["calibrate", "--rate", "200/s", "--duration", "2s", "--store", installation.store]
    let measured = try run(
      Programs.pushscope, calibrate + ["--json"], environment: ["TMPDIR": installation.directory.path])
    #expect(measured.status == 0, "\(measured.error)")
    #expect(measured.error.contains("calibrating, 0 of 2 s"))
    let floor = try #require(
      try JSONSerialization.jsonObject(with: Data(measured.output.utf8)) as? [String: Any])
    let floors = try #require(floor["floors"] as? [[String: Any]])
    #expect(floors.map { $0["interval"] as? String } == ["schedule_lag", "service", "accept", "delivery"])
    #expect(floor["planned"] as? Int == 400)
    let kept = try installation.query(
      "SELECT count(DISTINCT calibration_id), min(value_us) >= 0 FROM calibration_figure")
    #expect(kept == [["1", "1"]])
    #expect(try installation.query("SELECT count(*) FROM run") == [["0"]], "its own run is not kept")

    let service = try installation.startLoopback(scenario: "deliveries: { delay: 1ms }\n")
    #expect(try installation.collect(["--duration", "2s"]).waitForExit() == 0)
    try service.stop()
    for command in [["summary"], ["runs", "show", "latest"]] {
      let text = try run(Programs.pushscope, command + ["--store", installation.store]).output
      #expect(text.contains("floor of this host (calibrated 20"), "\(text)")
      #expect(text.contains("commits, longest"))
    }
    let table = try run(Programs.pushscope, calibrate, environment: ["TMPDIR": installation.directory.path])
    #expect(table.output.contains("speaks for"))
  }

  @Test("calibration is refused while a collector runs", .timeLimit(.minutes(10)))
  func refused() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let collector = try installation.collect([])
    try eventually("it runs") { try installation.states().isEmpty ? nil : true }
    let result = try run(
      Programs.pushscope, ["calibrate", "--duration", "1s", "--store", installation.store])
    #expect(result.status == 73)
    #expect(result.error.contains("\(collector.pid)"))
    try collector.stop()
    service.signal(SIGTERM)
    try service.waitForExit()
  }
}
