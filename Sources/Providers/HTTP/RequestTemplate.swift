import Measurement

/// A text with placeholders like `{id}`. Other braces are literal, so JSON needs no escaping.
public struct RequestTemplate: Sendable, Hashable {
  /// Names of placeholders.
  public enum Placeholder: String, Sendable, Hashable, CaseIterable {
    /// The notification's UUID.
    case id
    /// The notification's MAC; empty without a receipt listener.
    case mac
    /// Planned time, Unix milliseconds.
    case plannedMilliseconds = "planned_ms"
    /// Planned time, RFC 3339.
    case plannedAt = "planned_at"
    /// Number within run and target, from 1.
    case sequence
    /// The whole payload member as a JSON object.
    case pushscope
    /// Stands for as many `x` as bring the body to `payload_bytes`.
    case padding
  }

  private enum Segment: Sendable, Hashable {
    case literal([UInt8])
    case placeholder(Placeholder)
  }

  private let segments: [Segment]

  public init(_ text: [UInt8]) {
    var segments: [Segment] = []
    var literal: [UInt8] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: 0x7B) {
      literal += rest[..<open]
      rest = rest[open...]
      if let found = Self.placeholder(at: rest) {
        if !literal.isEmpty { segments.append(.literal(literal)) }
        literal = []
        segments.append(.placeholder(found))
        rest = rest.dropFirst(found.rawValue.utf8.count + 2)
      } else {
        literal.append(0x7B)
        rest = rest.dropFirst()
      }
    }
    literal += rest
    if !literal.isEmpty { segments.append(.literal(literal)) }
    self.segments = segments
  }

  public init(_ text: String) { self.init(Array(text.utf8)) }

  private static func placeholder(at rest: ArraySlice<UInt8>) -> Placeholder? {
    let longest = 20
    guard let close = rest.prefix(longest).firstIndex(of: 0x7D) else { return nil }
    return Placeholder(rawValue: String(decoding: rest[(rest.startIndex + 1)..<close], as: UTF8.self))
  }

  public var placeholders: Set<Placeholder> {
    Set(
      segments.compactMap {
        if case .placeholder(let placeholder) = $0 { placeholder } else { nil }
      })
  }

  /// Whether there are no placeholders.
  var isConstant: Bool { placeholders.isEmpty }

  /// - Parameter bytes: total size, reached by the first `{padding}`.
  func fill(for notification: PushNotification, bytes: Int? = nil) -> [UInt8] {
    var result: [UInt8] = []
    var paddingPlace: Int?
    for segment in segments {
      switch segment {
      case .literal(let text): result += text
      case .placeholder(.padding): paddingPlace = paddingPlace ?? result.count
      case .placeholder(let placeholder): result += Self.value(of: placeholder, notification).utf8
      }
    }
    if let paddingPlace, let bytes, bytes > result.count {
      result.insert(
        contentsOf: repeatElement(UInt8(ascii: "x"), count: bytes - result.count), at: paddingPlace)
    }
    return result
  }

  func text(for notification: PushNotification) -> String {
    String(decoding: fill(for: notification), as: UTF8.self)
  }

  private static func value(of placeholder: Placeholder, _ notification: PushNotification) -> String {
    switch placeholder {
    case .id: notification.id.description
    case .mac: notification.mac ?? ""
    case .plannedMilliseconds: String(notification.plannedAt.microseconds / 1000)
    case .plannedAt: notification.plannedAt.rfc3339
    case .sequence: String(notification.id.sample.sequence)
    case .pushscope: PayloadMember.json(for: notification)
    case .padding: ""
    }
  }

  /// Maximum size without padding.
  var largestBytes: Int {
    segments.reduce(0) { sum, segment in
      switch segment {
      case .literal(let text): sum + text.count
      case .placeholder(.id): sum + 36
      case .placeholder(.mac): sum + 43
      case .placeholder(.plannedMilliseconds): sum + 13
      case .placeholder(.plannedAt): sum + WallTime.rfc3339Length
      case .placeholder(.sequence): sum + 19
      case .placeholder(.pushscope): sum + PayloadMember.largestJSON.utf8.count
      case .placeholder(.padding): sum
      }
    }
  }
}
