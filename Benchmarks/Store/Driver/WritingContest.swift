import Foundation
import Measurement
import Store
import StorePeer

/// The store's writer against a loop of prepared statements in C, in turns.
struct WritingContest {
  let count: Int
  let batch: Int
  let durability: Durability

  struct PeerFailure: Error {}

  func run(rounds: Int) throws {
    var ours: [Span] = []
    var peers: [Span] = []
    for _ in 0..<rounds {
      peers.append(try peer())
      let bench = try BenchmarkStore(durability: durability)
      ours.append(try Span.measure { try bench.fill(count, batch: batch) })
    }
    let written = Double(2 * count)
    func rate(_ spans: [Span]) -> Double { written / median(spans.map(\.wall)) }
    func cpu(_ spans: [Span]) -> Double { median(spans.map(\.cpu)) / written * 1e6 }
    print(
      "\(padded(durability.rawValue, 6)), \(padded("\(batch)", 4)) a transaction:"
        + " store \(padded("\(Int(rate(ours)))", 7)) rows/s \(String(format: "%5.2f", cpu(ours))) µs CPU a row,"
        + " C \(padded("\(Int(rate(peers)))", 7)) \(String(format: "%5.2f", cpu(peers))),"
        + " ratio \(String(format: "%.2f, by CPU %.2f", rate(ours) / rate(peers), cpu(peers) / cpu(ours)))")
  }

  private func peer() throws -> Span {
    let path = BenchmarkStore.parent + "/pushscope-peer-" + UUID().uuidString
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let schema = try Self.schema()
    var seconds = 0.0
    let span = Span.measure {
      seconds = store_peer_write(path, schema, Int64(count), Int64(batch), durability == .full ? 1 : 0)
    }
    guard seconds > 0 else { throw PeerFailure() }
    // Its own time leaves opening and closing out, which ours does too.
    return Span(wall: seconds, cpu: span.cpu)
  }

  /// The sample table and its indices as a store has them, so that both write the same.
  private static func schema() throws -> String {
    let bench = try BenchmarkStore(durability: .normal)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", bench.path, ".schema sample"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.components(separatedBy: "CREATE VIEW")[0]
  }
}
