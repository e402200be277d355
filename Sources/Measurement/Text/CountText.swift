/// A number with its noun, as messages have them: `1 run`, `2 runs`, `0 runs`.
public enum CountText {
  /// - Parameter plural: where it is not the singular with an s.
  public static func text(_ count: some BinaryInteger, _ singular: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
  }
}
