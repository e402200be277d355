/// What libcurl tells only in its verbose text. Nothing is decided by it alone: where a version words things
/// differently, failures are still found, only less exactly named.
enum CurlText: Sendable, Equatable {
  /// A GOAWAY frame (RFC 9113, section 6.8). 7.88 misspells the first word, so it is not looked at.
  case goaway(error: Int, lastStream: Int?)
  /// The request is about to be sent a second time.
  case retry
  /// The same, because the peer did not process it: it reset the stream with REFUSED_STREAM, or its GOAWAY named a lower
  /// one as the last (RFC 9113, section 8.7; nghttp2 closes those streams with the same code).
  case refused

  init?(_ bytes: UnsafeRawBufferPointer) {
    // Cheap for the lines we do not look for, which are nearly all.
    guard bytes.count >= 20, bytes.count <= 512 else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "r"), UInt8(ascii: "["):
      let text = String(decoding: bytes, as: UTF8.self)
      guard let mark = text.firstRange(of: "GOAWAY, error=") else { return nil }
      let numbers = text[mark.lowerBound...].split(whereSeparator: { !("0"..."9").contains($0) }).compactMap {
        Int($0)
      }
      self = .goaway(error: numbers.first ?? 0, lastStream: numbers.count > 1 ? numbers[1] : nil)
    case UInt8(ascii: "C"), UInt8(ascii: "R"):
      guard String(decoding: bytes, as: UTF8.self).contains("retrying a fresh connect") else { return nil }
      self = bytes[0] == UInt8(ascii: "R") ? .refused : .retry
    default: return nil
    }
  }
}
