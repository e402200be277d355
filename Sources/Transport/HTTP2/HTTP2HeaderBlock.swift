/// What the header fields of a response come to, interim responses and trailers included.
struct HTTP2HeaderSize {
  /// The number of bytes of names and values.
  var bytes = 0
  var fields = 0
}

/// The header block that a session is reading: those of different streams never mix on a connection (RFC 9113, section 4.3).
///
/// It is written to for each header line that arrives, so its memory stays the same from block to block and is not reference
/// counted.
final class HTTP2HeaderBlock<Owner: AnyObject> {
  private struct Content {
    var owner: Owner?
    var isOwned = false
    var keepsLines = false
    var size = HTTP2HeaderSize()
    var status = 0
    var count = 0
  }

  private let content: UnsafeMutablePointer<Content>
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// What a line has in addition to name and value: a colon, a blank, CR and LF.
  static var lineOverhead: Int { 4 }

  /// - Parameter capacity: for all lines of a block; what has no room is left out.
  init(capacity: Int) {
    bytes = .allocate(capacity: capacity)
    content = .allocate(capacity: 1)
    content.initialize(to: Content())
  }

  deinit {
    content.deinitialize(count: 1)
    content.deallocate()
    bytes.deallocate()
  }

  /// A block begins.
  /// - Parameters:
  ///   - owner: whom it is of; `nil` where nobody waits for it.
  ///   - size: of the owner's blocks before.
  ///   - keepsLines: whether its lines are wanted.
  func begin(_ owner: Owner?, after size: HTTP2HeaderSize = HTTP2HeaderSize(), keepsLines: Bool = false) {
    content.pointee = Content(owner: owner, isOwned: owner != nil, keepsLines: keepsLines, size: size)
  }

  var owner: Owner? { content.pointee.owner }

  /// Whether somebody waits for it; asking for the owner counts a reference.
  var isOwned: Bool { content.pointee.isOwned }

  var keepsLines: Bool { content.pointee.keepsLines }

  /// The size of all blocks of the owner so far.
  var size: HTTP2HeaderSize { content.pointee.size }

  /// Counts a field.
  func count(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    content.pointee.size.bytes += name.count + value.count
    content.pointee.size.fields += 1
  }

  /// The block's `:status`; 0 where it has none.
  var status: Int {
    get { content.pointee.status }
    set { content.pointee.status = newValue }
  }

  /// Appends `name: value`, CR LF.
  func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress,
      content.pointee.count + name.count + value.count + Self.lineOverhead <= bytes.count
    else { return }
    var place = start + content.pointee.count
    func put(_ text: UnsafeBufferPointer<UInt8>, _ end: (UInt8, UInt8)) {
      if let bytes = text.baseAddress { place.update(from: bytes, count: text.count) }
      place += text.count
      place[0] = end.0
      place[1] = end.1
      place += 2
    }
    put(name, (UInt8(ascii: ":"), UInt8(ascii: " ")))
    put(value, (UInt8(ascii: "\r"), UInt8(ascii: "\n")))
    content.pointee.count = place - start
  }

  /// The lines so far.
  var lines: [UInt8] { Array(bytes[..<content.pointee.count]) }
}
