/// A text already in the form of one format, for fields that many rows share.
public struct PreparedText: Sendable {
  let bytes: [UInt8]

  /// - Parameter text: `nil` for an absent value.
  public init(_ text: String?, for format: RecordFormat) {
    var buffer = ByteBuffer(capacity: 64)
    switch (format, text) {
    case (.csv, let text?): buffer.append(csvText: text)
    case (.csv, nil): break
    case (.jsonl, let text?): buffer.append(jsonString: text)
    case (.jsonl, nil): buffer.append("null")
    }
    bytes = Array(buffer.bytes)
  }
}
