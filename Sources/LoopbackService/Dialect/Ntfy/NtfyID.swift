/// Message ids as ntfy makes them.
enum NtfyID {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// 12 letters and digits.
  static func random() -> String {
    String((0..<12).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }
}
