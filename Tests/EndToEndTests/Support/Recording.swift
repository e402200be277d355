import Foundation
import Synchronization
import TestKit
import Testing

/// A store of ended runs that several tests begin with: recorded by the first of them, copied for each.
final class Recording: Sendable {
  private let store = Mutex<Installation?>(nil)
  private static let known = Mutex<[String: Recording]>([:])

  /// - Parameters:
  ///   - name: what tells it from other recordings.
  ///   - make: records it.
  /// - Returns: an installation of the caller's own with a copy of the store.
  static func copy(_ name: String, made make: () throws -> Installation) throws -> Installation {
    let recording = known.withLock { known in
      let recording = known[name] ?? Recording()
      known[name] = recording
      return recording
    }
    let copy = try Installation()
    try recording.store.withLock { kept in
      let original = try kept ?? make()
      kept = original
      try FileManager.default.copyItem(atPath: original.store, toPath: copy.store)
    }
    return copy
  }
}

extension Installation {
  /// A store with finished runs, one after the other, of notifications that all arrived: the deadline is one that load does
  /// not reach.
  static func recorded(runs: [String] = ["before", "after"], count: Int = 200) throws -> Installation {
    try Recording.copy("\(runs), \(count)") {
      let installation = try Installation(rate: "\(count)/s", target: ["receipt_deadline: 20s"])
      try installation.record(runs: runs, count: count)
      return installation
    }
  }

  /// Records runs of so many notifications, one after the other.
  func record(runs: [String], count: Int) throws {
    let service = try startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    for name in runs {
      let collector = try collect(["--count", "\(count)", "--run-name", name])
      #expect(try collector.waitForExit() == 0)
    }
    try service.stop()
  }
}
