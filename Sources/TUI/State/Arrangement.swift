/// Where the panel stands.
enum Arrangement: Sendable, Hashable {
  case below
  case beside

  /// What suits a terminal: side by side where it is wide and has few rows.
  static func suitable(columns: Int, rows: Int) -> Arrangement {
    columns >= 140 && rows < 30 && columns >= 5 * rows ? .beside : .below
  }

  var other: Arrangement { self == .below ? .beside : .below }
}
