/// The terminal's current graphic rendition, and the shortest sequence to another (ECMA-48 8.3.117, SGR).
struct RenditionState: Equatable {
  var foreground: ColorReducer.Reduced = 0
  var background: ColorReducer.Reduced = 0
  /// The raw value of `CellAttributes`: sets of bits compare faster as numbers, and this happens for each cell.
  var attributes: UInt8 = 0

  static let plain = RenditionState()

  /// Emits only the parameters that change, or a reset and the remaining ones, whichever is shorter.
  mutating func change(to next: RenditionState, _ bytes: inout OutputBytes) {
    if next == self { return }
    defer { self = next }
    bytes.append("\u{1B}[")
    if next == .plain {
      bytes.append(0x6D)
      return
    }
    let start = bytes.count
    let removed = attributes & ~next.attributes
    if removed != 0 || next.foreground == 0 || next.background == 0 {
      appendReset(to: next, &bytes)
      let resetCount = bytes.count - start
      appendDelta(to: next, removed: removed, &bytes)
      let deltaCount = bytes.count - start - resetCount
      if resetCount <= deltaCount {
        bytes.truncate(to: start + resetCount)
      } else {
        bytes.removeSubrange(start..<start + resetCount)
      }
    } else {
      appendDelta(to: next, removed: removed, &bytes)
    }
    // Each parameter was followed by a semicolon; the last becomes the final byte.
    bytes.replaceLast(with: 0x6D)
  }

  private func appendReset(to next: RenditionState, _ bytes: inout OutputBytes) {
    bytes.append("0;")
    RenditionState.append(next.attributes, &bytes)
    if next.foreground != 0 { RenditionState.append(next.foreground, base: 30, &bytes) }
    if next.background != 0 { RenditionState.append(next.background, base: 40, &bytes) }
  }

  private func appendDelta(to next: RenditionState, removed: UInt8, _ bytes: inout OutputBytes) {
    var added = next.attributes & ~attributes
    if removed & (RenditionState.bold | RenditionState.dim) != 0 {
      bytes.append("22;")
      // 22 ends both; the one that stays has to be said again.
      added |= next.attributes & (RenditionState.bold | RenditionState.dim)
    }
    if removed & RenditionState.italic != 0 { bytes.append("23;") }
    if removed & RenditionState.underline != 0 { bytes.append("24;") }
    if removed & RenditionState.reverse != 0 { bytes.append("27;") }
    RenditionState.append(added, &bytes)
    if next.foreground != foreground { RenditionState.append(next.foreground, base: 30, &bytes) }
    if next.background != background { RenditionState.append(next.background, base: 40, &bytes) }
  }

  private static let bold: UInt8 = 1 << 0
  private static let dim: UInt8 = 1 << 1
  private static let italic: UInt8 = 1 << 2
  private static let underline: UInt8 = 1 << 3
  private static let reverse: UInt8 = 1 << 4

  private static func append(_ attributes: UInt8, _ bytes: inout OutputBytes) {
    if attributes == 0 { return }
    if attributes & bold != 0 { bytes.append("1;") }
    if attributes & dim != 0 { bytes.append("2;") }
    if attributes & italic != 0 { bytes.append("3;") }
    if attributes & underline != 0 { bytes.append("4;") }
    if attributes & reverse != 0 { bytes.append("7;") }
  }

  /// - Parameter base: 30 for the foreground, 40 for the background.
  private static func append(_ color: ColorReducer.Reduced, base: Int, _ bytes: inout OutputBytes) {
    switch color >> 24 {
    case 0:
      bytes.append(decimal: base + 9)
    case 1:
      bytes.append(decimal: base + 8)
      bytes.append(";2;")
      bytes.append(decimal: Int(color >> 16 & 0xFF))
      bytes.append(0x3B)
      bytes.append(decimal: Int(color >> 8 & 0xFF))
      bytes.append(0x3B)
      bytes.append(decimal: Int(color & 0xFF))
    case 2:
      bytes.append(decimal: base + 8)
      bytes.append(";5;")
      bytes.append(decimal: Int(color & 0xFF))
    default:
      let index = Int(color & 0xF)
      // Bright ones are 90…97 and 100…107.
      bytes.append(decimal: index < 8 ? base + index : base + 52 + index)
    }
    bytes.append(0x3B)
  }
}
