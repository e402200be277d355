import FoundationEssentials

/// UUIDs as APNs writes them.
enum UUIDText {
  /// Version 4, lower case.
  static func random() -> String { UUID().uuidString.lowercased() }
}
