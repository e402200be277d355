import ConstraintAnimation
import Foundation
import Measurement
import Terminal
import Threads

/// The program: from the command line to an exit status.
@main
struct GalleryCommand {
  static func main() {
    let words = ProcessArguments.all
    do {
      try run(Arguments(words))
    } catch {
      // Text from the command line comes back here: controls are made visible.
      let message = EscapedText.make("gallery: \(error)")
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

/// What the command line asks for.
struct Arguments: Equatable {
  enum Action: Equatable {
    case run
    case list
    case help
    /// A script, or the name of a file with one.
    case script(String)
  }

  var action = Action.run
  /// An index into the catalog.
  var screen = 0
  var size: GridSize?
  var motion = MotionLevel.full

  static let help = """
    Usage: gallery [--screen NAME] [--motion LEVEL] [--script FILE-OR-TEXT] [--size COLUMNSxROWS]
           gallery --list | --help

    Shows what ConstraintAnimation does, one screen each, with keys and mouse.

      --screen NAME   begin with this screen; --list names them
      --motion LEVEL  full, basic (nothing travels) or none
      --script TEXT   play a script without a terminal and print frames as text;
                      TEXT is a script or the name of a file with one
      --size 80x24    how large the frames of a script are
      --list          print the names of the screens, and what they show
      --help          print this

    A script's commands stand on lines of their own or between semicolons:

      key 2                    keys: characters, space enter escape left …, shift+left
      press 40,12              the mouse; drag goes there in a straight line
      drag 20,12 200ms
      release
      click 40,12
      wheel 3 40,12 control    with shift, alt or control
      wait 250ms               goes on frame by frame, 60 a second
      frames 15                goes on by frames; film 15 prints each
      settle                   until nothing moves
      resize 100x30
      screen curves
      print                    a script that never prints, prints its last frame

    """

  init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    func value(of option: String) throws(UsageError) -> String {
      guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": action = .help
      case "--list": action = .list
      case "--screen":
        let name = try value(of: word)
        guard let index = Catalog.index(of: name) else {
          throw UsageError("there is no screen “\(name)”; --list shows them all")
        }
        screen = index
      case "--motion":
        let text = try value(of: word)
        guard let level = MotionLevel.allCases.first(where: { "\($0)" == text }) else {
          throw UsageError("“\(text)” is no level of motion: full, basic or none")
        }
        motion = level
      case "--script": action = .script(try value(of: word))
      case "--size":
        let text = try value(of: word)
        guard let size = GridSize(text) else {
          throw UsageError("“\(text)” is no size: write it as 80x24, 1 to 1000 each")
        }
        self.size = size
      default: throw UsageError("“\(word)” is no option; --help shows them all")
      }
    }
    if size != nil, case .run = action {
      throw UsageError("--size is for --script; a terminal has its own size")
    }
  }
}

/// A command line that cannot be followed.
struct UsageError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Where `--script` finds its text.
enum ScriptSource {
  private static let largest = 1 << 20

  /// The contents of the file of that name, or the text itself when there is none.
  static func text(_ argument: String) throws(UsageError) -> String {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: argument, isDirectory: &isDirectory) else { return argument }
    guard !isDirectory.boolValue else { throw UsageError("\(argument) is a directory, not a script") }
    guard let file = FileHandle(forReadingAtPath: argument),
      let data = try? file.read(upToCount: largest + 1)
    else { throw UsageError("\(argument) cannot be read") }
    guard data.count <= largest else { throw UsageError("\(argument) is longer than \(largest) bytes") }
    guard let text = String(data: data, encoding: .utf8) else { throw UsageError("\(argument) is not UTF-8") }
    return text
  }
}
