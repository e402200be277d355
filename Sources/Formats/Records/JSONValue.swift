import Measurement

/// A JSON document in memory. Objects keep the order of their members.
public indirect enum JSONValue: Sendable, Equatable {
  case object([Member])
  case array([JSONValue])
  case string(String)
  case integer(Int64)
  case number(Double)
  case boolean(Bool)
  case null

  /// A name and its value.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a column; a list is an array.
  public init(_ value: ColumnValue, of type: ColumnType) {
    self =
      switch value {
      case .null: type.kind == .list ? .array([]) : .null
      case .integer(let number):
        switch type.kind {
        case .time: .string(WallTime(microseconds: number).rfc3339)
        case .flag: .boolean(number != 0)
        case .uuid, .name, .text, .list, .integer, .real, .revision, .labels: .integer(number)
        }
      case .real(let number): .number(number)
      case .text(let text) where type.kind == .list:
        .array(text.split(separator: ";").map { .string(String($0)) })
      case .text(let text): .string(text)
      }
  }

  /// Text, or `null`.
  public static func string(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// A whole number, or `null`.
  public static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

  /// The document in lines indented by two spaces, without a line break at the end; arrays and objects that hold only
  /// plain values stay on one line.
  public var text: String {
    let sink = MemorySink()
    var bytes = ByteBuffer(capacity: 4096)
    append(to: &bytes, indent: 0)
    // A MemorySink does not throw.
    try? sink.write(bytes.bytes)
    return sink.text
  }

  private func append(to bytes: inout ByteBuffer, indent: Int) {
    switch self {
    case .object(let members):
      Self.list(members, "{", "}", isFlat: members.allSatisfy { $0.value.isPlain }, &bytes, indent) {
        member, bytes, inner in
        bytes.append(jsonString: member.name)
        bytes.append(": ")
        member.value.append(to: &bytes, indent: inner)
      }
    case .array(let elements):
      Self.list(elements, "[", "]", isFlat: elements.allSatisfy(\.isPlain), &bytes, indent) {
        $0.append(to: &$1, indent: $2)
      }
    case .string(let text): bytes.append(jsonString: text)
    case .integer(let value): bytes.append(integer: value)
    case .number(let value):
      if value.isFinite { bytes.append(number: value) } else { bytes.append("null") }
    case .boolean(let value): bytes.append(value ? "true" : "false")
    case .null: bytes.append("null")
    }
  }

  private var isPlain: Bool {
    switch self {
    case .object(let members): members.isEmpty
    case .array(let elements): elements.isEmpty
    default: true
    }
  }

  private static func list<Element>(
    _ elements: [Element], _ open: StaticString, _ close: StaticString, isFlat: Bool,
    _ bytes: inout ByteBuffer,
    _ indent: Int, _ body: (Element, inout ByteBuffer, Int) -> Void
  ) {
    func newLine(_ spaces: Int, _ bytes: inout ByteBuffer) {
      bytes.append(0x0A)
      for _ in 0..<spaces { bytes.append(0x20) }
    }
    bytes.append(open)
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(isFlat ? ", " : ",") }
      if !isFlat { newLine(indent + 2, &bytes) }
      body(element, &bytes, indent + 2)
    }
    if !isFlat { newLine(indent, &bytes) }
    bytes.append(close)
  }
}
