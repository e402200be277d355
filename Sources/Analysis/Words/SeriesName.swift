/// The name of what is watched, in every text.
public enum SeriesName {
  /// `ios`, of a variant `ios/priority=10`.
  public static func text(_ target: String, _ variant: String) -> String {
    variant.isEmpty ? target : "\(target)/\(variant)"
  }
}
