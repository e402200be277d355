import Measurement

/// What a WebSocket's server sends, as messages (RFC 6455, section 5): one frame or several, text only, bounded.
struct WebSocketReader: Sendable {
  enum Message: Sendable, Equatable {
    case text([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    /// - Parameter code: `nil` for a Close frame without one.
    case close(code: Int?, reason: String)
  }

  /// Why the client ends the connection: the code is that of its Close frame.
  struct Violation: Error, Sendable, Equatable {
    var code: Int
    var reason: String
  }

  private let maximumBytes: Int
  private var unread: [UInt8] = []
  private var start = 0
  /// The fragments of a text so far, and how many there are; `nil` between two texts.
  private var fragments: [UInt8]?
  private var fragmentCount = 0

  /// A text in more fragments is a violation: empty ones cost a peer two bytes each.
  static let mostFragments = 1024

  /// - Parameter maximumBytes: of a text; a longer one is a violation.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Appends bytes as they come. Read ``next()`` until there is nothing more: that bounds what is kept.
  mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      unread.removeFirst(start)
      start = 0
    }
    unread += bytes
  }

  /// The next message; `nil` when it is not complete.
  mutating func next() throws(Violation) -> Message? {
    while let frame = try nextFrame() {
      if let message = try message(of: frame) { return message }
    }
    return nil
  }

  // MARK: Frames

  private struct Frame {
    var isFinal: Bool
    var opcode: WebSocketOpcode
    var payload: [UInt8]
  }

  private mutating func nextFrame() throws(Violation) -> Frame? {
    let bytes = unread[start...]
    guard bytes.count >= 2 else { return nil }
    let (first, second) = (bytes[start], bytes[start + 1])
    // No extension was agreed on.
    guard first & 0x70 == 0 else { throw Violation(code: 1002, reason: "a reserved bit is set") }
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw Violation(code: 1002, reason: "a reserved opcode")
    }
    guard second & 0x80 == 0 else { throw Violation(code: 1002, reason: "a server's frame has a mask") }
    let isFinal = first & 0x80 != 0
    var count = Int(second)
    if opcode.isControl, !isFinal || count > 125 {
      throw Violation(code: 1002, reason: "a control frame in parts or of more than 125 bytes")
    }
    var header = 2
    if count >= 126 {
      let width = count == 126 ? 2 : 8
      header += width
      guard bytes.count >= header else { return nil }
      let length = bytes[(start + 2)..<(start + header)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard length >= (width == 2 ? 126 : 65_536) else {
        throw Violation(code: 1002, reason: "a length in more bytes than it needs")
      }
      guard length <= UInt64(maximumBytes) else { throw tooLong }
      count = Int(length)
    }
    if !opcode.isControl, (fragments?.count ?? 0) + count > maximumBytes { throw tooLong }
    guard bytes.count >= header + count else { return nil }
    let payload = Array(bytes[(start + header)..<(start + header + count)])
    start += header + count
    return Frame(isFinal: isFinal, opcode: opcode, payload: payload)
  }

  private var tooLong: Violation {
    Violation(code: 1009, reason: "a message of more than \(maximumBytes) bytes")
  }

  // MARK: Messages

  /// - Returns: `nil` for a part of one.
  private mutating func message(of frame: Frame) throws(Violation) -> Message? {
    switch frame.opcode {
    case .binary: throw Violation(code: 1003, reason: "a binary message")
    case .ping: return .ping(frame.payload)
    case .pong: return .pong(frame.payload)
    case .close: return try close(frame.payload)
    case .text, .continuation:
      guard (fragments == nil) == (frame.opcode == .text) else {
        throw Violation(code: 1002, reason: "fragments out of order")
      }
      fragmentCount = frame.opcode == .text ? 1 : fragmentCount + 1
      guard fragmentCount <= Self.mostFragments else {
        throw Violation(code: 1008, reason: "a text in more than \(Self.mostFragments) fragments")
      }
      if fragments?.append(contentsOf: frame.payload) == nil { fragments = frame.payload }
      guard frame.isFinal, let text = fragments else { return nil }
      fragments = nil
      guard String(validating: text, as: UTF8.self) != nil else {
        throw Violation(code: 1007, reason: "a text that is not UTF-8")
      }
      return .text(text)
    }
  }

  private func close(_ payload: [UInt8]) throws(Violation) -> Message {
    guard let first = payload.first else { return .close(code: nil, reason: "") }
    guard payload.count >= 2 else { throw Violation(code: 1002, reason: "a Close frame of one byte") }
    let code = Int(first) << 8 | Int(payload[1])
    guard WebSocketCloseCode.maySend(code) else {
      throw Violation(code: 1002, reason: "a Close frame with the code \(code)")
    }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
      throw Violation(code: 1007, reason: "a reason that is not UTF-8")
    }
    return .close(code: code, reason: reason)
  }
}

/// Opcodes of frames (RFC 6455, section 5.2).
enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0
  case text, binary
  case close = 8
  case ping, pong

  var isControl: Bool { rawValue >= 8 }
}

/// Frames that a WebSocket's client sends: each a whole message, masked.
enum WebSocketWriter {
  /// - Parameter mask: 4 random bytes, new ones for every frame (RFC 6455, section 5.3).
  static func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], mask: [UInt8]) -> [UInt8] {
    precondition(mask.count == 4)
    var frame = [0x80 | opcode.rawValue]
    let count = payload.count
    switch count {
    case ..<126: frame.append(0x80 | UInt8(count))
    case ..<65_536: frame += [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    default: frame += [0x80 | 127] + withUnsafeBytes(of: UInt64(count).bigEndian, Array.init)
    }
    frame += mask
    for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
    return frame
  }

  /// The payload of a Close frame without a reason.
  static func closePayload(_ code: Int) -> [UInt8] { [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)] }
}
