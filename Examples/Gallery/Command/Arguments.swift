import ConstraintAnimation

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
