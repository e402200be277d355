/// One combination of the values that a target's keys list.
public struct TargetVariant: Sendable, Hashable {
  /// The listed keys with their values, like `priority=10,push_type=alert`; empty when no key is a list.
  public var name: String
  public var settings: ProviderSettings

  /// The largest number of combinations; with more, each would be measured too seldom.
  static let maximumCount = 64

  public init(name: String = "", settings: ProviderSettings) {
    self.name = name
    self.settings = settings
  }

  /// - Parameter parts: the axes' parts in order; `nil` for a key that is not a list.
  static func name(_ parts: String?...) -> String { parts.compactMap { $0 }.joined(separator: ",") }
}

/// A key whose value may be a list. Variants are the combinations of all axes.
struct VariantAxis<Value: Hashable> {
  struct Choice {
    var value: Value
    /// The value in a variant's name.
    var word: String
    /// The value as written, for messages; `nil` when the key is not given.
    var source: YAMLValue?
  }

  let key: String
  /// Never empty.
  let choices: [Choice]

  /// A choice's part of a variant's name; `nil` when there is only one.
  func part(_ choice: Choice) -> String? { choices.count > 1 ? "\(key)=\(choice.word)" : nil }
}

extension YAMLMapping {
  /// Reads a value or a list of different values.
  ///
  /// - Parameters:
  ///   - absent: the value when the key is not given or not readable.
  ///   - word: the value in a variant's name.
  func axis<Value: Hashable>(
    _ key: String, absent: Value, word: (Value) -> String, read: (YAMLValue) -> Value?
  ) -> VariantAxis<Value> {
    let none = VariantAxis(key: key, choices: [.init(value: absent, word: word(absent), source: nil)])
    guard let value = self[key] else { return none }
    let elements = value.isSequence ? value.sequence() ?? [] : [value]
    if value.isSequence, elements.isEmpty {
      value.report("is an empty list", remedy: "write at least one value")
    }
    var choices: [VariantAxis<Value>.Choice] = []
    for element in elements.prefix(TargetVariant.maximumCount + 1) {
      guard let read = read(element) else { continue }
      if choices.contains(where: { $0.value == read }) {
        element.report("is in the list twice", remedy: "keep one of them")
      } else {
        choices.append(.init(value: read, word: word(read), source: element))
      }
    }
    return choices.isEmpty ? none : VariantAxis(key: key, choices: choices)
  }

  /// The axis of `payload_bytes`.
  func payloadAxis(in range: ClosedRange<Int>) -> VariantAxis<Int?> {
    axis("payload_bytes", absent: nil, word: { $0.map(String.init) ?? "" }) { $0.integer(in: range) }
  }

  /// Reports too many combinations.
  func check(variants count: Int) {
    guard count > TargetVariant.maximumCount else { return }
    value.report(
      "has \(count) combinations of listed values",
      remedy: "shorten the lists to at most \(TargetVariant.maximumCount) combinations")
  }
}
