import FoundationEssentials

/// What a device may say of the circumstances in which it received a notification (docs/receipts.md).
public enum DeviceContextKey: String, Sendable, Hashable, Codable, CaseIterable {
  /// The priority with which the notification arrived.
  case priority
  /// The priority with which the provider says that it was sent.
  case prioritySent = "priority_sent"
  /// What the app was doing.
  case app
  /// Whether the device was dozing.
  case idle
  /// Whether the device was saving power.
  case saver
  /// The system's class of how much the app is used.
  case bucket
  case network
  /// Whether notifications of the app may be shown.
  case notifications
  /// The operating system; text of the device's own choice.
  case os

  /// The words that it may have; empty for text.
  public var words: [String] {
    switch self {
    case .priority, .prioritySent: ["high", "normal"]
    case .app: ["foreground", "background", "stopped"]
    case .idle, .saver, .notifications: ["true", "false"]
    case .bucket: ["active", "working_set", "frequent", "rare", "restricted"]
    case .network: ["wifi", "cellular", "ethernet", "other", "none"]
    case .os: []
    }
  }

  public var isFlag: Bool { words == ["true", "false"] }

  /// Stands for a word that is not on the list.
  public static let otherWord = "other"
}

/// The circumstances in which a device received a notification, as the device reported them: words of closed lists, and
/// short text, which sinks escape.
public struct DeviceContext: Sendable, Hashable {
  private var known: [DeviceContextKey: String] = [:]

  /// The largest length of text, bytes of UTF-8. Longer text is cut.
  public static let maximumTextBytes = 32

  public init() {}

  public var isEmpty: Bool { known.isEmpty }

  /// What the device said; `nil` where it said nothing. A word that is not on the key's list is read and stored as
  /// ``DeviceContextKey/otherWord``, and text is cut.
  public subscript(key: DeviceContextKey) -> String? {
    get { known[key] }
    set {
      known[key] = newValue.flatMap { word in
        if !key.words.isEmpty { return key.words.contains(word) ? word : DeviceContextKey.otherWord }
        return word.isEmpty ? nil : Self.cut(word)
      }
    }
  }
}

extension DeviceContext {
  private static func cut(_ text: String) -> String {
    var text = String(text.prefix(maximumTextBytes))
    while text.utf8.count > maximumTextBytes { text.removeLast() }
    return text
  }

  /// A JSON object, as it is stored and exported.
  public var text: String { JSONText.make(self) }

  /// - Returns: `nil` for anything but what ``text`` gives.
  public init?(text: String) {
    guard let context = try? JSONDecoder().decode(DeviceContext.self, from: Data(text.utf8)) else {
      return nil
    }
    self = context
  }
}

extension DeviceContext {
  /// All of it in words: `app background, idle, network cellular, not saver`.
  public var words: String {
    DeviceContextKey.allCases.compactMap { key in
      known[key].map { word in
        let name = key.rawValue.replacing("_", with: " ")
        return key.isFlag ? (word == "true" ? name : "not \(name)") : "\(name) \(word)"
      }
    }.joined(separator: ", ")
  }
}

extension DeviceContext: ColumnRepresentable {
  public static var columnType: ColumnType { .name }
  public var columnValue: ColumnValue { .text(text) }

  public init?(_ value: ColumnValue) {
    guard case .text(let text) = value else { return nil }
    self.init(text: text)
  }
}

extension DeviceContextID: ColumnRepresentable {
  public static var columnType: ColumnType { .integer }
  public var columnValue: ColumnValue { .integer(rawValue) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self.init(rawValue: value)
  }
}

extension DeviceContext: Codable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: DeviceContextKey) { stringValue = key.rawValue }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads an object; members that are not in the table, `null` or of a wrong type are left out: what a device says in addition must not cost
  /// the receipt.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    for key in DeviceContextKey.allCases where members.contains(Key(key)) {
      if key.isFlag {
        self[key] = (try? members.decode(Bool.self, forKey: Key(key))).map(String.init)
      } else {
        self[key] = try? members.decode(String.self, forKey: Key(key))
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    for key in DeviceContextKey.allCases {
      guard let word = known[key] else { continue }
      if key.isFlag, let flag = Bool(word) {
        try members.encode(flag, forKey: Key(key))
      } else {
        try members.encode(word, forKey: Key(key))
      }
    }
  }
}

/// The number of a ``DeviceContext`` in its source.
public struct DeviceContextID: RawRepresentable, Sendable, Hashable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Whether a notification that was delivered in time was shown, where its device reports that; the raw value is the number in
/// the store.
public enum DisplayState: Int, Sendable, Hashable, CaseIterable {
  /// The device has reported for earlier ones that it showed them, and not for this one by its receipt deadline.
  case unseen = 0
  case shown = 1
  /// Shown after the receipt deadline, which counts as unseen.
  case shownLate = 2
  /// Not shown yet, and the receipt deadline has not passed; or the collector ended before it was known.
  case awaited = 3

  public var name: String {
    switch self {
    case .unseen: "unseen"
    case .shown: "shown"
    case .shownLate: "shown_late"
    case .awaited: "awaited"
    }
  }
}
