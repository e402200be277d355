/// What has been done to a symbol since the last successful solve.
struct EditFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt8

  /// Stands in the list of edits.
  static let listed = EditFlags(rawValue: 1)
  static let added = EditFlags(rawValue: 2)
  static let removed = EditFlags(rawValue: 4)
}
