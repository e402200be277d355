extension ErrorCatalog {
  /// ntfy's numbers, as `status` and two digits more; its texts are in ``NtfyAnswer``.
  static let ntfy = ErrorCatalog(words: [
    ErrorWord("40024", 400), ErrorWord("40004", 400), ErrorWord("40007", 400), ErrorWord("40008", 400),
    ErrorWord("40009", 400), ErrorWord("40010", 400), ErrorWord("40011", 400), ErrorWord("40014", 400),
    ErrorWord("40017", 400), ErrorWord("40101", 401), ErrorWord("40301", 403), ErrorWord("40401", 404),
    ErrorWord("41301", 413), ErrorWord("42901", 429), ErrorWord("42903", 429), ErrorWord("42908", 429),
    ErrorWord("50001", 500), ErrorWord("50701", 507),
  ])
}
