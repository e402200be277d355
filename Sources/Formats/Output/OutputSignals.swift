import Glibc

/// The two signals that would kill a program for writing.
public enum OutputSignals {
  /// Ignores SIGPIPE (the reader went away) and SIGXFSZ (the file size limit), for the whole process, so that they
  /// come as ``OutputError`` instead. To be called once, before any output.
  public static func ignore() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }
}
