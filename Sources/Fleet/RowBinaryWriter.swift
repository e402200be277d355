import FoundationEssentials
import Measurement
import Store

/// Writes rows in the engine's format RowBinary (https://clickhouse.com/docs/en/interfaces/formats#rowbinary): values one after the
/// other without names and separators, so that no text is taken for anything but text.
struct RowBinaryWriter {
  private(set) var bytes: [UInt8] = []
  private(set) var rows = 0
  private let columns: [(index: Int, type: ColumnType)]
  /// Rows of one run follow each other, with the same labels.
  private var labels: (json: [UInt8], encoded: [UInt8]) = ([], [0])

  init(_ table: ForwardedTable) {
    columns = table.columns.enumerated().map { ($0.offset, $0.element.type) }
  }

  mutating func write(_ row: ForwardedRow) {
    rows += 1
    for (index, type) in columns {
      // A value that may be absent begins with whether it is.
      if type.isOptional {
        let isNull = row.isNull(index)
        bytes.append(isNull ? 1 : 0)
        if isNull { continue }
      }
      switch type.kind {
      case .uuid: row.withText(index) { write(uuid: $0) }
      case .name, .text, .list: row.withText(index) { write(text: $0) }
      case .integer, .time, .revision: write(integer: row.integer(index))
      case .real: write(integer: Int64(bitPattern: row.real(index).bitPattern))
      case .flag: bytes.append(row.integer(index) == 0 ? 0 : 1)
      case .labels:
        row.withText(index) { write(labels: $0) }
      }
    }
  }

  private mutating func write(integer: Int64) {
    withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func write(text: UnsafeBufferPointer<UInt8>) {
    bytes.append(leb128: UInt64(text.count))
    bytes.append(contentsOf: text)
  }

  /// Two little-endian halves, the higher one first; zeros for what is no UUID.
  private mutating func write(uuid text: UnsafeBufferPointer<UInt8>) {
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for byte in text {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: continue
      }
      if digits < 16 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
      digits += 1
    }
    if digits != 32 { halves = (0, 0) }
    write(integer: Int64(bitPattern: halves.0))
    write(integer: Int64(bitPattern: halves.1))
  }

  private mutating func write(labels json: UnsafeBufferPointer<UInt8>) {
    if !labels.json.elementsEqual(json) {
      let decoded = (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
      var encoded: [UInt8] = []
      encoded.append(leb128: UInt64(decoded.count))
      for (name, value) in decoded.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        for text in [name, value] {
          encoded.append(leb128: UInt64(text.utf8.count))
          encoded.append(contentsOf: text.utf8)
        }
      }
      labels = (Array(json), encoded)
    }
    bytes.append(contentsOf: labels.encoded)
  }
}
