import Glibc

/// A terminal whose other end the test holds: it reads what is painted and types what is pressed.
final class PseudoTerminal {
  struct Unavailable: Error {}

  // TIOCSPTLCK and TIOCGPTN: macros that compute, which Swift does not import.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  let controller: Int32
  /// What the program under test opens.
  let terminal: Int32
  let path: String

  init(columns: Int = 80, rows: Int = 24) throws {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (Int32, UInt32) = (0, 0)
    guard controller >= 0, ioctl(controller, PseudoTerminal.setLock, &locked) == 0,
      ioctl(controller, PseudoTerminal.getNumber, &number) == 0
    else { throw Unavailable() }
    path = "/dev/pts/\(number)"
    terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw Unavailable() }
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(terminal)
    close(controller)
  }

  /// The terminal goes away. The descriptor's number stays this object's, which closes it.
  func hangUp() {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, controller)
    _ = fcntl(controller, F_SETFD, FD_CLOEXEC)
    close(nothing)
  }

  func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) { type(Array(text.utf8)) }

  func type(_ bytes: [UInt8]) { _ = write(controller, bytes, bytes.count) }

  /// What was painted since the last time.
  func output() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(controller, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  /// The line modes, as bytes that can be compared.
  var modes: [UInt32] {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
  }
}
