import CNcurses
import ConstraintAnimation
import Glibc
import Measurement

/// The ncurses screen: sets the terminal's line modes and reads keys. It never paints.
///
/// Keys are read through a pad of one cell, because reading through a window would repaint it. All calls come from
/// the thread that made it.
struct CursesScreen: ~Copyable {
  enum Token {
    case byte(UInt8)
    case key(InputEvent.Key, InputEvent.Modifiers)
    /// A key code that is ignored.
    case ignored
  }

  private let screen: OpaquePointer
  private let pad: UnsafeMutablePointer<WINDOW>
  private let files: (input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>)
  private let keys: CursesKeys
  /// terminfo's `colors`; `nil` where it has no such capability or does not know the terminal.
  let terminfoColors: Int?
  /// Whether terminfo describes an alternate screen and ncurses has switched to it.
  let hasEnteredAlternateScreen: Bool

  /// - Parameter terminal: TERM. Where terminfo does not know it, xterm's entry is used: nearly all terminals are like
  ///   xterm, and new ones are often missing from the database.
  init(terminal: String, input: Int32, output: Int32) throws(TerminalError) {
    guard let inputFile = CursesScreen.file(input, "r") else { throw .system("cannot read the terminal") }
    guard let outputFile = CursesScreen.file(output, "w") else {
      fclose(inputFile)
      throw .system("cannot write to the terminal")
    }
    var found = newterm(terminal, outputFile, inputFile)
    let isKnown = found != nil
    for name in ["xterm-256color", "xterm"] where found == nil {
      found = newterm(name, outputFile, inputFile)
    }
    guard let found, let pad = newpad(1, 1) else {
      fclose(inputFile)
      fclose(outputFile)
      throw TerminalError(
        .unknownTerminal, "terminfo knows neither \(EscapedText.make(terminal)) nor xterm",
        remedy: "install ncurses-base, or set TERMINFO to where the database is")
    }
    screen = found
    self.pad = pad
    files = (inputFile, outputFile)
    let colors = Int(tigetnum("colors"))
    terminfoColors = isKnown && colors > 0 ? colors : nil
    hasEnteredAlternateScreen = cncurses_has_alternate_screen()

    raw()
    noecho()
    nonl()
    keypad(pad, true)
    nodelay(pad, true)
    set_escdelay(25)
    // ncurses would take a mouse report apart in its own way and lose the button of a drag; without these keys the
    // reports come as bytes.
    for prefix in ["\u{1B}[<", "\u{1B}[M"] { define_key(prefix, 0) }
    keys = CursesKeys()
    CursesScreen.keepQuitKey(output)
    def_prog_mode()
  }

  deinit {
    delwin(pad)
    delscreen(screen)
    fclose(files.input)
    fclose(files.output)
  }

  /// A separate `FILE`: ncurses must not share buffers with `print` and must not close standard output.
  private static func file(_ descriptor: Int32, _ mode: String) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    let file = fdopen(copy, mode)
    if file == nil { close(copy) }
    return file
  }

  /// Leaves Ctrl-\ to the kernel: SIGQUIT ends the process and restores the terminal even when no thread reads keys.
  private static func keepQuitKey(_ descriptor: Int32) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { return }
    modes.c_lflag |= tcflag_t(ISIG)
    withUnsafeMutableBytes(of: &modes.c_cc) { keys in
      // 0 is _POSIX_VDISABLE here: no key. Ctrl-C and Ctrl-Z come as bytes.
      keys[Int(VINTR)] = 0
      keys[Int(VSUSP)] = 0
    }
    tcsetattr(descriptor, TCSANOW, &modes)
  }

  /// The next key or byte, `nil` when there is none. Waits at most the escape delay.
  func next() -> Token? {
    let code = wgetch(pad)
    if code == ERR { return nil }
    if code < KEY_MIN { return .byte(UInt8(truncatingIfNeeded: code)) }
    return keys.key(code).map { .key($0, $1) } ?? .ignored
  }

  func resize(columns: Int, rows: Int) { resizeterm(Int32(rows), Int32(columns)) }

  /// The line modes and the keypad as they were before `suspend`.
  func resume() {
    reset_prog_mode()
    keypad(pad, true)
  }

  /// Writes terminfo's sequences for leaving.
  func end() { endwin() }
}

/// The encoding that the locale of the environment asks for.
enum Codeset {
  /// `nl_langinfo(CODESET)` for LC_ALL, LC_CTYPE and LANG; `nil` when the C library has no such locale.
  ///
  /// The locale is created and freed, not set: `setlocale` would affect every thread of the process.
  static func ofEnvironment() -> String? {
    guard let locale = newlocale(LC_CTYPE_MASK, "", nil) else { return nil }
    defer { freelocale(locale) }
    return nl_langinfo_l(nl_item(CODESET), locale).map { String(cString: $0) }
  }
}

/// The terminal's file descriptors: the process's own, and one for painting.
struct TerminalDescriptor: ~Copyable {
  let input: Int32
  let output: Int32
  /// A separate open file description that is painted to, so that O_NONBLOCK does not affect the shell or other users of
  /// standard output.
  let painting: Int32

  init(input: Int32, output: Int32) throws(TerminalError) {
    for (descriptor, name) in [(input, "standard input"), (output, "standard output")]
    where isatty(descriptor) == 0 {
      throw TerminalError(.notATerminal, "\(name) is not a terminal", remedy: "run it in a terminal window")
    }
    let painting = TerminalDescriptor.openAgain(output)
    guard painting >= 0 else { throw .system("cannot open the terminal for painting") }
    self.input = input
    self.output = output
    self.painting = painting
  }

  deinit { close(painting) }

  private static func openAgain(_ descriptor: Int32) -> Int32 {
    var path = [CChar](repeating: 0, count: 256)
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    if ttyname_r(descriptor, &path, path.count) == 0 {
      let opened = open(path, flags)
      if opened >= 0 { return opened }
    }
    let opened = open("/dev/tty", flags)
    if opened >= 0 { return opened }
    // In a sandbox neither may be reachable. It then blocks while the terminal does not read.
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
  }

  /// Columns and rows; 80×24 where the terminal does not know, as on a serial line.
  var size: (columns: Int, rows: Int) {
    TerminalSize.columnsAndRows(of: output) ?? (80, 24)
  }

  /// Bytes that can be read at once.
  var availableBytes: Int {
    var count: Int32 = 0
    return ioctl(input, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }
}

extension TerminalError {
  /// A ``TerminalError`` with `errno`'s text.
  static func system(_ message: String) -> TerminalError {
    let number = errno
    return TerminalError(
      .system(errno: number), "\(message): \(String(cString: strerror(number)))",
      remedy: "check the terminal and its permissions")
  }
}
