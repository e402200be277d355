import Glibc

/// How large a terminal is.
public enum TerminalSize {
  /// - Parameter descriptor: of the terminal.
  /// - Returns: `nil` for what is no terminal, and where the terminal does not know, as on a serial line.
  public static func columnsAndRows(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
