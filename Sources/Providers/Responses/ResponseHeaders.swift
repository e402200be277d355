/// The header lines of an answer as they came (`name: value`, CR LF), searched when asked: most answers are judged by
/// their status alone, and then no line is ever taken apart.
public struct ResponseHeaders: Sendable, Hashable {
  private let lines: [UInt8]

  /// More than this is not kept.
  public static let maximumBytes = 16 * 1024

  /// - Parameter lines: header lines, each ended by LF or CR LF; a status line among them is skipped.
  public init(lines: [UInt8] = []) { self.lines = lines }

  public init(_ fields: [HeaderField]) {
    lines = fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
  }

  /// The value of the first header with this name (any case), without surrounding blanks; bytes that are no UTF-8
  /// become U+FFFD.
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
