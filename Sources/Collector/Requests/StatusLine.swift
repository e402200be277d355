/// The first line of an answer, or of an interim one, as libcurl hands it over for every version of HTTP.
struct StatusLine {
  /// Three digits; 0 when they are not there.
  let status: Int

  private static let beginning = Array("HTTP/".utf8)

  /// - Returns: `nil` for any other line.
  init?(_ line: UnsafeRawBufferPointer) {
    guard line.starts(with: Self.beginning) else { return nil }
    guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else {
      status = 0
      return
    }
    let digits = line[(blank + 1)...].prefix(3)
    let isNumber = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
    status = isNumber ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
  }
}
