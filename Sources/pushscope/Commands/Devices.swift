import ArgumentParser
import Configuration
import Measurement
import Report
import Store

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, rename and remove the devices that joined by an invitation.",
    discussion: """
      pushscope invite lets one join. A device that is removed is sent nothing any more; its page says so when it is opened.

      Example: pushscope devices
      Example: pushscope devices remove reception
      """,
    subcommands: [List.self, Rename.self, Remove.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the devices, one line each.",
      discussion: """
        States: active; paused by its user; gone: its push service does not know it any more, opening its page again revives it, or devices.services does not allow it any more; \
        shadowed: a configured target has its name. "received in 24 h" is of the newest run.

        Example: pushscope devices list
        """)

    @OptionGroup var store: StoreOption

    func run() throws {
      try ReportRun.write(lines: DevicesReport.list(try store.reader(), at: SystemClock().wallNow()))
    }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a device another name.",
      discussion: """
        Its target is another one from then on: what was recorded keeps the former name.

        Example: pushscope devices rename reception entrance
        """)

    @Argument(help: ArgumentHelp("The present name.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
    var other: String

    @OptionGroup var store: StoreOption

    func run() throws { try Devices.carryOut(.rename(name, to: other), store) }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send nothing more to a device, and forget its subscription.",
      discussion: """
        What was recorded stays. The device can be invited again.

        Example: pushscope devices remove reception
        """)

    @Argument(help: ArgumentHelp("The device.", valueName: "name"))
    var name: String

    @OptionGroup var store: StoreOption

    func run() throws { try Devices.carryOut(.remove(name: name), store) }
  }

  /// Has the collector carry a command out; without one nothing is changed.
  private static func carryOut(_ command: DeviceCommand, _ store: StoreOption) throws {
    do {
      try ControlRun.carryOut(.device(command), store: try store.path(for: .changing), within: 10)
    } catch let error as StoreError where error.code == .noCollector {
      throw CommandFailure("\(error)", exitStatus: .unavailable)
    }
  }
}
