/// One combination of the values that a target's keys list.
public struct TargetVariant: Sendable, Hashable {
  /// The listed keys with their values, like `priority=10,push_type=alert`; empty when no key is a list.
  public var name: String
  public var settings: ProviderSettings

  /// The largest number of combinations; with more, each would be measured too seldom.
  static let maximumCount = 64

  /// The combinations of axes, the last of which varies fastest. Too many are reported.
  ///
  /// - Parameter settings: `nil` when there are none because of a problem that is reported.
  static func combinations<A, B, C>(
    _ map: YAMLMapping, _ first: VariantAxis<A>, _ second: VariantAxis<B>, _ third: VariantAxis<C>,
    settings: (VariantAxis<A>.Choice, VariantAxis<B>.Choice, VariantAxis<C>.Choice) -> ProviderSettings?
  ) -> [TargetVariant] {
    let count = first.choices.count * second.choices.count * third.choices.count
    if count > maximumCount {
      map.value.report(
        "has \(count) combinations of listed values",
        remedy: "shorten the lists to at most \(maximumCount) combinations")
    }
    return first.choices.flatMap { a in
      second.choices.flatMap { b in
        third.choices.compactMap { c in
          let parts = [first.part(a), second.part(b), third.part(c)].compactMap { $0 }
          return settings(a, b, c).map { TargetVariant(name: parts.joined(separator: ","), settings: $0) }
        }
      }
    }
  }
}

extension TargetVariant {
  /// The only variant of a target.
  public init(settings: ProviderSettings) { self.init(name: "", settings: settings) }
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

  /// An axis of nothing.
  static var single: VariantAxis<Bool> {
    VariantAxis<Bool>(key: "", choices: [VariantAxis<Bool>.Choice(value: true, word: "", source: nil)])
  }

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
}
