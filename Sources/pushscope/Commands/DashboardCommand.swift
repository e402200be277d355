import ArgumentParser
import TUI

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard",
    abstract: "Look at a store: live while a collector writes it, or at past runs.",
    discussion: """
      A scatter plot of every notification, with histogram, log and events below; press ? for the keys. Without a \
      terminal (or with --plain) it prints lines.

      Example: pushscope dashboard --target ios
      """)

  @OptionGroup var store: StoreOption

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "A past run instead of the newest: UUID or the beginning of it, or name.", valueName: "run"))
  var wantedRun: String?

  @Option(help: ArgumentHelp("Only this target.", valueName: "name"))
  var target: String?

  @Option(help: ArgumentHelp("dark, light or colour-blind.", valueName: "name"))
  var theme: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(help: "Lines instead of a screen; for pipes and screen readers.")
  var plain = false

  func run() async throws {
    try DashboardRun.open(
      store: store.path, run: wantedRun, target: target, theme: theme, isASCII: ascii, isPlain: plain)
  }
}
