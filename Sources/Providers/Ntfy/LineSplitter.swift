/// Cuts a stream of bytes into lines, with a bound on what an unending line may hold.
public struct LineSplitter: Sendable {
  private var rest: [UInt8] = []
  private var isSkipping = false
  private let maximumBytes: Int
  /// Lines that were longer than allowed, and so left out.
  public private(set) var skipped = 0

  public init(maximumBytes: Int = NtfyDialect.maximumLineBytes) { self.maximumBytes = maximumBytes }

  /// Takes what came and answers the lines that are complete now, without line ends (LF or CR LF) and empty ones.
  public mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var piece = bytes[...]
    while let end = piece.firstIndex(of: 0x0A) {
      take(piece[..<end])
      if isSkipping {
        isSkipping = false
      } else {
        if rest.last == 0x0D { rest.removeLast() }
        if !rest.isEmpty { lines.append(rest) }
      }
      rest.removeAll(keepingCapacity: true)
      piece = piece[piece.index(after: end)...]
    }
    take(piece)
    return lines
  }

  private mutating func take(_ bytes: some Collection<UInt8>) {
    guard !isSkipping else { return }
    guard rest.count + bytes.count <= maximumBytes else {
      isSkipping = true
      skipped += 1
      rest.removeAll()
      return
    }
    rest += bytes
  }
}
