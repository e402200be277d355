/// Bytes of the system's generator (getrandom(2)), fit for a secret.
public enum RandomBytes {
  /// Random bytes, new at each call.
  public static func make(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
