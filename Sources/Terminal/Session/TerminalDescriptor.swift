import Glibc

/// The terminal's file descriptors: the process's own, and one for painting.
struct TerminalDescriptor: ~Copyable {
  let input: Int32
  let output: Int32
  /// For painting: a separate open file description, so that O_NONBLOCK does not affect the shell or other users of
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
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
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
