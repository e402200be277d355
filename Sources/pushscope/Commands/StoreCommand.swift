import ArgumentParser
import Configuration
import Foundation
import Measurement
import Store
import Synchronization

/// `pushscope store`: work on a store by hand.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Check, back up, compact and prune a store.",
    discussion: """
      docs/operations.md says when which is needed.

      Example: pushscope store backup /backup/pushscope.sqlite --replace
      """,
    subcommands: [Check.self, Backup.self, Compact.self, Prune.self, Adopt.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read the whole store and say whether it is sound.",
      discussion: """
        A collector may run meanwhile. Ends with 0 for a sound store, and with 66 for a damaged one.

        Example: pushscope store check
        """)

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: .reading)
      let progress = LongWork("checking \(path)")
      let problems = try StoreAdministration.check(path) { progress.tick() }
      guard problems.isEmpty else {
        throw CommandFailure(
          "the store is damaged: \(path):\n  " + problems.joined(separator: "\n  ")
            + "\n  restore a backup, or copy the store and try: sqlite3 FILE .recover", exitStatus: .noInput)
      }
      try StandardOutput.writeLine("\(path) is sound")
    }
  }

  struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy the store to a file, also while a collector writes to it.",
      discussion: """
        The copy is the store of one instant. It is complete when FILE appears: until then it has another name beside it. A \
        copy that is to be recorded into needs a collector id of its own: pushscope store adopt.

        Example: pushscope store backup /backup/pushscope.sqlite --replace
        """)

    @Argument(help: ArgumentHelp("The copy.", valueName: "file"))
    var file: String

    @Flag(help: "Replace FILE, if it is a pushscope store that nobody has open.")
    var replace = false

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: .reading)
      let progress = LongWork("copying \(path)")
      let size = try StoreBackup(of: path, to: file, clock: SystemClock()).run(replaces: replace) {
        progress.tick(part: $0)
      }
      try StandardOutput.writeLine("\(file): \(SizeText.text(size))")
      let reader = try StoreOption.reader(at: path)
      defer { reader.close() }
      guard try reader.devices().contains(where: { $0.state != .left }) else { return }
      StandardError.write(
        "what authorizes to send to the devices is not in it: copy their directory too (\(path).devices, or devices.directory)"
      )
    }
  }

  struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the store anew without unused space. No collector may have it.",
      discussion: """
        Needs twice the store's size on the same disk for a while. Afterwards retention gives space back by itself, also in a \
        store that an older version made.

        Example: pushscope store compact
        """)

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: .changing)
      let progress = LongWork("compacting \(path)")
      let size = try StoreAdministration.compact(path, clock: SystemClock()) { progress.tick() }
      try StandardOutput.writeLine(
        "\(path): \(SizeText.text(size.before)) before, \(SizeText.text(size.after)) now")
    }
  }

  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete old notifications with their receipts. Runs, counts and rollups stay.",
      discussion: """
        Only notifications with a final state go, in whole hours, forwarded to a fleet or not. Summaries and plots of that time come from rollups from then \
        on. A collector that has the store carries it out beside its recording. `retention:` in the configuration does the \
        same by itself.

        Example: pushscope store prune --before -30d --dry-run
        """)

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "Planned before: -30d, or a time like 2026-03-01T12:00:00Z; only whole hours that are over by then are deleted.",
        valueName: "time"),
      transform: TimeArgument.parse)
    var before: TimeArgument

    @Flag(help: "Say what would be deleted, and delete nothing.")
    var dryRun = false

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: dryRun ? .reading : .changing)
      let reader = try StoreOption.reader(at: path)
      if !dryRun { try ControlClient(storePath: path, clock: SystemClock()).rollUp() }
      guard let extent = try reader.pruneExtent(samplesBefore: before.time) else {
        return try StandardOutput.writeLine(
          "\(path): nothing to delete before \(before.time.rfc3339): only whole hours that are over by then are deleted"
        )
      }
      let what =
        "\(CountText.text(extent.count, "notification")), planned from \(extent.first.rfc3339) to before "
        + extent.cut.rfc3339
        + (extent.cut < before.time
          ? "; later ones stay, because only whole hours whose rollups are complete are deleted" : "")
      guard !dryRun else { return try StandardOutput.writeLine("\(path): would delete \(what)") }
      if let mark = try reader.pruned().samples, mark > SystemClock().wallNow() {
        throw CommandFailure(
          "what is planned before \(mark.rfc3339) is marked as deleted by a clock that was ahead, and nothing is deleted until then",
          exitStatus: .failed)
      }
      let progress = LongWork("deleting \(what)")
      progress.tick()
      let revision = try reader.revision()
      try ControlRun.carryOut(.prune(before: extent.cut), store: path, within: 90)
      // A collector deletes beside its recording: wait, so that the end of the command is the end of the work. What changes
      // meanwhile may wait for the fleet.
      while let left = try reader.pruneExtent(samplesBefore: extent.cut, changedUpTo: revision),
        left.count > 0
      {
        guard try reader.collector().isRunning else {
          throw CommandFailure(
            "the collector ended; \(CountText.text(left.count, "notification")) are left, which the next one deletes",
            exitStatus: .failed)
        }
        progress.tick(part: 1 - Double(left.count) / Double(max(1, extent.count)))
        LongWork.pause()
      }
      try StandardOutput.writeLine("\(path): deleted \(what)")
    }
  }

  struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a copied store a collector id of its own, for runs to come.",
      discussion: """
        After a copy or a restored backup, so that two stores never claim the same rows. Old runs keep their id; receipts that \
        devices still send for them belong to the store that was copied.

        Example: pushscope store adopt --store restored.sqlite
        """)

    @OptionGroup var store: StoreOption

    func run() throws {
      let path = try store.path(for: .changing)
      let ids = try StoreAdministration.adopt(path, clock: SystemClock())
      try StandardOutput.writeLine(
        "\(path): collector \(ids.after.uuidString.lowercased()), was \(ids.before.uuidString.lowercased())")
    }
  }
}

/// Progress of work that may take minutes, as lines on stderr: the first after two seconds, then one each ten.
final class LongWork: Sendable {
  private let what: String
  private let clock = SystemClock()
  private let begun: MonotonicTime
  private let next: Mutex<MonotonicTime>

  init(_ what: String) {
    self.what = what
    begun = clock.monotonicNow()
    next = Mutex(begun + .seconds(2))
  }

  /// - Parameter part: what is done of it, 0 to 1, where that is known.
  func tick(part: Double? = nil) {
    let now = clock.monotonicNow()
    let isDue = next.withLock { next in
      guard now >= next else { return false }
      next = now + .seconds(10)
      return true
    }
    guard isDue else { return }
    let share = part.map { ", \(FixedPoint.text($0 * 100, decimals: 0)) %" } ?? ""
    StandardError.writeProgress("pushscope: \(what): \(LengthText.text(now - begun))\(share)")
  }

  /// Waits between two looks at what another process does.
  static func pause() { Thread.sleep(forTimeInterval: 0.5) }
}
