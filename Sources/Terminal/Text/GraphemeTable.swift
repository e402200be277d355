import Synchronization

/// The characters that need more than one scalar (a letter with combining marks), each once.
///
/// A cell has room for one number. Where a scalar is not enough the number is an index into this table, marked by
/// its highest bit. The table is one for the process, so that cells can be copied between buffers; it is bounded,
/// and a character that finds it full is shown without its marks.
final class GraphemeTable: Sendable {
  static let shared = GraphemeTable()

  /// Distinguishes an index from a scalar value.
  static let indexFlag: UInt32 = 0x8000_0000

  private struct Contents {
    var indices: [[UInt32]: UInt32] = [:]
    var texts: [String] = []
  }

  private let capacity: Int
  private let contents = Mutex(Contents())

  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// The glyph for a base and its marks; the base alone when the table is full.
  func glyph(for scalars: [UInt32]) -> UInt32 {
    guard let base = scalars.first else { return 0x20 }
    return contents.withLock { contents in
      if let index = contents.indices[scalars] { return GraphemeTable.indexFlag | index }
      guard contents.texts.count < capacity else { return base }
      let index = UInt32(contents.texts.count)
      var text = ""
      for scalar in scalars.compactMap(Unicode.Scalar.init) { text.unicodeScalars.append(scalar) }
      contents.texts.append(text)
      contents.indices[scalars] = index
      return GraphemeTable.indexFlag | index
    }
  }

  /// The text of a glyph that this table gave out; a replacement character for any other.
  func text(of glyph: UInt32) -> String {
    let index = Int(glyph & ~GraphemeTable.indexFlag)
    return contents.withLock { index < $0.texts.count ? $0.texts[index] : "\u{FFFD}" }
  }
}
