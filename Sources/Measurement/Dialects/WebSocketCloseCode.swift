/// Codes of WebSocket's Close frames (RFC 6455, section 7.4).
public enum WebSocketCloseCode {
  /// What ``maySend(_:)`` allows, in words.
  public static let range = "1000 to 1003, 1007 to 1014, or 3000 to 4999"

  /// Whether a Close frame may have the code: it is registered for that, or anybody's to use.
  public static func maySend(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
