import Measurement

/// An answer as libcurl hands it over, line by line and piece by piece, within bounds.
public struct CurlAnswer {
  /// 0 before its status line.
  public private(set) var status = 0
  /// The last block of headers, in the form of ``ResponseHeaders``.
  public private(set) var headerLines: [UInt8] = []
  public private(set) var body: [UInt8] = []
  /// The headers of the final answer are there. Interim answers came before (RFC 9110, section 15.2), trailers come later and are
  /// dropped.
  public private(set) var hasHeaders = false
  /// It was larger than it may be.
  public private(set) var isTooLarge = false
  private var budget = HeaderBudget()
  private let bodyLimit: Int

  /// - Parameter bodyLimit: bytes of the body; a longer one is too large.
  public init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  /// Says that it was larger than it may be.
  mutating func recordExcess() { isTooLarge = true }

  /// One header line; an empty one ends a block.
  /// - Returns: whether the peer may go on.
  public mutating func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard budget.spend(line.count) else {
      isTooLarge = true
      return false
    }
    guard !hasHeaders else { return true }
    if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
      hasHeaders = status >= 200
    } else if let first = StatusLine(line) {
      headerLines.removeAll(keepingCapacity: true)
      status = first.status
    } else if headerLines.count + line.count <= ResponseHeaders.maximumBytes {
      headerLines.append(contentsOf: line)
    }
    return true
  }

  /// - Returns: whether there is still room.
  public mutating func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= bodyLimit else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }
}

/// The status line of a final or interim answer, as libcurl passes it for every version of HTTP.
struct StatusLine {
  /// Three digits; 0 without them.
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

/// What a peer may send as headers in one answer, interim answers and trailers included: a peer without end is a failure
/// and not a reason to listen until the timeout.
struct HeaderBudget {
  static let maximumBytes = 64 * 1024
  static let maximumLines = 1000

  private var bytes = 0
  private var lines = 0

  /// - Returns: whether one more line of so many bytes is within the bounds.
  mutating func spend(_ count: Int) -> Bool {
    bytes += count
    lines += 1
    return bytes <= Self.maximumBytes && lines <= Self.maximumLines
  }
}
