/// Frames of a server (RFC 9113, section 6), valid or not; written without a library.
enum ServerFrames {
  static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    let length = payload.count
    let header: [UInt8] = [
      UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags,
    ]
    return header + word(UInt32(bitPattern: stream)) + payload
  }

  static func settings(_ values: [(id: UInt16, value: UInt32)] = []) -> [UInt8] {
    frame(4, values.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 255)] + word($0.value) })
  }
  static let settingsAcknowledgement = frame(4, flags: 1)

  /// HEADERS, each field as a literal without indexing (RFC 7541, section 6.2.2).
  static func headers(
    _ stream: Int32, status: Int? = 200, _ fields: [(String, String)] = [], endStream: Bool = false,
    endHeaders: Bool = true
  ) -> [UInt8] {
    let all = (status.map { [(":status", String($0))] } ?? []) + fields
    return frame(1, flags: (endStream ? 1 : 0) | (endHeaders ? 4 : 0), stream: stream, all.flatMap(literal))
  }
  static func continuation(_ stream: Int32, _ fields: [(String, String)] = [], endHeaders: Bool = false)
    -> [UInt8]
  {
    frame(9, flags: endHeaders ? 4 : 0, stream: stream, fields.flatMap(literal))
  }
  static func data(_ stream: Int32, _ bytes: [UInt8] = [], endStream: Bool = false) -> [UInt8] {
    frame(0, flags: endStream ? 1 : 0, stream: stream, bytes)
  }
  static func reset(_ stream: Int32, _ code: UInt32) -> [UInt8] { frame(3, stream: stream, word(code)) }
  static func ping(_ data: UInt64 = 0, isAnswer: Bool = false) -> [UInt8] {
    frame(6, flags: isAnswer ? 1 : 0, word(UInt32(data >> 32)) + word(UInt32(truncatingIfNeeded: data)))
  }
  static func goaway(last: Int32, _ code: UInt32 = 0, debug: String = "") -> [UInt8] {
    frame(7, word(UInt32(bitPattern: last)) + word(code) + debug.utf8)
  }
  static func windowUpdate(_ stream: Int32, _ bytes: UInt32) -> [UInt8] {
    frame(8, stream: stream, word(bytes))
  }

  private static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

  private static func literal(_ field: (String, String)) -> [UInt8] {
    [0] + string(field.0) + string(field.1)
  }

  /// A string literal without Huffman coding: its length has a prefix of 7 bits (RFC 7541, section 5.1).
  private static func string(_ text: String) -> [UInt8] {
    var rest = text.utf8.count - 127
    guard rest >= 0 else { return [UInt8(text.utf8.count)] + text.utf8 }
    var length: [UInt8] = [127]
    while rest >= 128 {
      length.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return length + [UInt8(rest)] + text.utf8
  }
}
