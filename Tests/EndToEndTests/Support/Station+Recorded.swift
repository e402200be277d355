import Foundation
import Testing

extension Station {
  /// A store with finished runs, one after the other, of notifications that all arrived.
  static func recorded(runs: [String] = ["before", "after"], count: Int = 200) throws -> Station {
    let station = try Station(rate: "\(count)/s", target: ["receipt_deadline: 1s"])
    let service = try station.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    for name in runs {
      let collector = try station.collect(["--count", "\(count)", "--run-name", name])
      #expect(try collector.waitForExit() == 0)
    }
    service.signal(SIGTERM)
    try service.waitForExit()
    return station
  }
}
