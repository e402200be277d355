import Glibc

/// The encoding that the locale of the environment asks for.
enum Codeset {
  /// `nl_langinfo(CODESET)` for LC_ALL, LC_CTYPE and LANG; `nil` when the C library has no such locale.
  ///
  /// The locale is made and dropped, not set: setting it changes the whole process under every other thread.
  static func ofEnvironment() -> String? {
    guard let locale = newlocale(LC_CTYPE_MASK, "", nil) else { return nil }
    defer { freelocale(locale) }
    return nl_langinfo_l(nl_item(CODESET), locale).map { String(cString: $0) }
  }
}
