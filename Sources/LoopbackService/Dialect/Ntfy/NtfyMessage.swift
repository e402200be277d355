/// A published message.
struct NtfyMessage: Sendable, Equatable {
  /// How long a server keeps one.
  static let keptSeconds: Int64 = 12 * 3600

  /// 12 letters and digits.
  var id: String
  /// Unix seconds.
  var time: Int64
  var topic: String
  /// As subscribers and the publisher get it, without a line end.
  var json: String
  /// Whether it is kept for those who ask for `since`.
  var isKept: Bool
}
