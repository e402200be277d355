/// A header line (RFC 9110, section 5).
public struct HeaderField: Sendable, Hashable {
  /// Lower case, as HTTP/2 requires.
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the name is a token and the value has no control characters, which could start another header.
  public var isSendable: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
      && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  /// RFC 9110, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // !  # $ % & '  *  +  -  .  ^ _ `  |  ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

/// Unparsed header lines of a response (`name: value`, CR LF), since most responses are interpreted by their status
/// only.
public struct ResponseHeaders: Sendable, Hashable {
  private let lines: [UInt8]

  /// Limit of the stored header lines.
  public static let maximumBytes = 16 * 1024

  /// - Parameter lines: header lines, each ended by LF or CR LF; a status line is skipped.
  public init(lines: [UInt8] = []) { self.lines = lines }

  /// Value of the first header with this name (any case), without surrounding blanks; invalid UTF-8 becomes U+FFFD.
  public subscript(name: String) -> String? {
    for line in lines.split(separator: 0x0A) {
      guard let colon = line.firstIndex(of: 0x3A) else { continue }
      guard Self.isSame(line[..<colon], name) else { continue }
      let value = line[line.index(after: colon)...]
      let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
      guard let first = value.firstIndex(where: { !blanks.contains($0) }),
        let last = value.lastIndex(where: { !blanks.contains($0) })
      else { return "" }
      return String(decoding: value[first...last], as: UTF8.self)
    }
    return nil
  }

  private static func isSame(_ bytes: ArraySlice<UInt8>, _ name: String) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return bytes.lazy.map(lower).elementsEqual(name.utf8.lazy.map(lower))
  }
}
