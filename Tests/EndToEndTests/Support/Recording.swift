import Foundation
import Synchronization
import TestKit
import Testing

/// A store of ended runs that several tests begin with: recorded by the first of them, copied for each.
final class Recording: Sendable {
  /// Further lines of the target of a recording and of what goes on with it. Load does not reach this deadline.
  static let target = ["receipt_deadline: 20s"]

  private let original = Mutex<Installation?>(nil)
  private static let known = Mutex<[String: Recording]>([:])

  /// - Parameters:
  ///   - name: what tells it from other recordings.
  ///   - make: records it.
  /// - Returns: an installation of the caller's own with a copy of the store; its configuration has the default rate.
  static func copy(_ name: String, made make: () throws -> Installation) throws -> Installation {
    let recording = known.withLock { known in
      let recording = known[name] ?? Recording()
      known[name] = recording
      return recording
    }
    let copy = try Installation(target: target)
    try recording.original.withLock { kept in
      let original = try kept ?? make()
      kept = original
      try #require(!FileManager.default.fileExists(atPath: original.store + "-wal"))
      try FileManager.default.copyItem(atPath: original.store, toPath: copy.store)
    }
    return copy
  }
}

extension Installation {
  /// A store with finished runs, one after the other.
  static func recorded(runs: [String] = ["before", "after"], count: Int = 200) throws -> Installation {
    try Recording.copy("\(runs), \(count)") {
      let installation = try Installation(rate: "\(count)/s", target: Recording.target)
      try installation.record(runs: runs, count: count)
      return installation
    }
  }

  /// Records runs of so many notifications, one after the other, with a service that delivers all that it accepts.
  func record(runs: [String], count: Int) throws {
    let service = try startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    for name in runs {
      let collector = try collect(["--count", "\(count)", "--run-name", name])
      try #require(try collector.waitForExit() == 0, "\(collector.standardError)")
    }
    try service.stop()
  }
}
