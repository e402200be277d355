import Foundation
import Terminal

/// The program: from the command line to an exit status.
@main
struct GalleryCommand {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      try run(Arguments(words))
    } catch {
      // Text from the command line comes back here: controls are made visible.
      let message = VisibleText.visible("gallery: \(error)")
      FileHandle.standardError.write(Data("\(message)\n".utf8))
      exit(error is TerminalError ? 1 : 64)
    }
  }

  private static func run(_ arguments: Arguments) throws {
    switch arguments.action {
    case .help: write(Arguments.help)
    case .list: write(list)
    case .script(let source):
      let script = try Script(ScriptSource.text(source))
      let gallery = Gallery(
        columns: arguments.size?.columns ?? 80, rows: arguments.size?.rows ?? 24, screen: arguments.screen,
        motion: arguments.motion)
      ScriptPlayer(gallery: gallery, emit: write).play(script)
    case .run:
      let loop = try GalleryLoop(
        environment: ProcessInfo.processInfo.environment, screen: arguments.screen, motion: arguments.motion)
      loop.run()
    }
  }

  private static var list: String {
    let width = (Catalog.cards.map(\.name.count).max() ?? 0) + 2
    return Catalog.cards.map { card in
      card.name.padding(toLength: width, withPad: " ", startingAt: 0) + "\(card.title). \(card.look)\n"
    }.joined()
  }

  private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
