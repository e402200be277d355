import Foundation
import TestKit

/// An installation whose collector has a web endpoint.
struct MonitoredInstallation {
  let installation: Installation
  let port: Int

  /// - Parameters:
  ///   - target: further lines of the target.
  ///   - sections: further sections of the configuration.
  init(rate: String = "50/s", target: [String], sections: [String] = []) throws {
    installation = try Installation(rate: rate, target: target)
    port = try FreePort.take()
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    let added = ["service: { listen: '127.0.0.1:\(port)' }"] + sections
    try installation.directory.write("pushscope.yaml", text + added.joined(separator: "\n") + "\n")
  }

  /// Asks the endpoint with curl.
  func ask(_ path: String, _ arguments: [String] = []) throws -> (status: Int, body: String) {
    guard let curl = Programs.find("curl") else { throw NeverHappened(what: "curl is installed") }
    let result = try run(
      curl,
      ["-sS", "--max-time", "20", "-w", "\n%{http_code}"] + arguments + ["http://127.0.0.1:\(port)\(path)"])
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
  }

  func waitUntilReady(_ collector: RunningProcess) throws {
    try eventually("the endpoint is ready", seen: { collector.standardError }) {
      try ask("/-/ready").status == 200 ? true : nil
    }
  }

  func scrape() throws -> Exposition { Exposition(try ask("/metrics").body) }

  /// Stops the run, not the collector, as the dashboard does, and waits until it is closed.
  func stopRun() throws {
    guard let sqlite = Programs.find("sqlite3") else { throw NeverHappened(what: "sqlite3 is installed") }
    _ = try run(
      sqlite,
      [
        "-cmd", ".timeout 5000", installation.store,
        "INSERT INTO control (command, at) VALUES ('stop', strftime('%s', 'now') * 1000000 + 1000000)",
      ])
    try eventually("the run is closed") {
      try installation.query("SELECT count(*) FROM run WHERE ended_at IS NULL").first?.first == "0"
        ? true : nil
    }
  }
}

/// Prometheus' text format, read line by line.
struct Exposition {
  struct Line {
    var name: String
    var labels: [String: String]
    var value: Double
  }

  let lines: [Line]

  init(_ text: String) {
    lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
        return nil
      }
      let head = line[..<space]
      let name = head.prefix { $0 != "{" }
      var labels: [String: String] = [:]
      for pair in head.dropFirst(name.count).dropFirst().dropLast().split(separator: ",") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { labels[String(parts[0])] = String(parts[1].dropFirst().dropLast()) }
      }
      return Line(name: String(name), labels: labels, value: value)
    }
  }

  func sum(_ name: String, _ labels: [String: String] = [:]) -> Int {
    Int(
      lines.filter { line in line.name == name && labels.allSatisfy { line.labels[$0.key] == $0.value } }
        .reduce(0) { $0 + $1.value })
  }

  func has(_ name: String) -> Bool { lines.contains { $0.name == name } }
}
