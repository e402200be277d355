import ArgumentParser
import TUI

struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard",
    abstract: "Look at a store: live while a collector writes it, or at past runs.",
    discussion: """
      A scatter plot of every notification, with histogram, log, events and runs below; press ? for the keys and : to \
      find a command. Keys, theme and more are set in the configuration's section dashboard. Without a terminal (or \
      with --plain) it prints lines.

      Example: pushscope dashboard --target ios
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var configuration: ConfigurationOption

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "A past run instead of the newest: UUID or the beginning of it, or name.", valueName: "run"))
  var wantedRun: String?

  @Option(help: ArgumentHelp("Only this target.", valueName: "name"))
  var target: String?

  @Option(
    help: ArgumentHelp(
      "dark, light, colour-blind, one of themes/ beside the configuration, or a theme's file.",
      valueName: "name|file"))
  var theme: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(help: "Lines instead of a screen; for pipes and screen readers.")
  var plain = false

  func run() async throws {
    try DashboardRun.open(
      store: store.path(for: .reading), run: wantedRun, target: target, theme: theme, isASCII: ascii,
      isPlain: plain,
      configuration: configuration)
  }
}
