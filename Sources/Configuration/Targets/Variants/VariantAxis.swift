/// A key whose value may be a list: one of the dimensions that variants are combinations of.
struct VariantAxis<Value: Hashable> {
  struct Choice {
    var value: Value
    /// As variants are named.
    var word: String
    /// To report about; `nil` when the key is not given.
    var source: YAMLValue?
  }

  let key: String
  /// Never empty.
  let choices: [Choice]

  /// What a choice adds to a variant's name; nothing when there is no choice.
  func part(_ choice: Choice) -> String? { choices.count > 1 ? "\(key)=\(choice.word)" : nil }
}

extension YAMLMapping {
  /// Reads a value or a list of different ones.
  ///
  /// - Parameters:
  ///   - absent: what holds when the key is not given, or nothing under it can be read.
  ///   - word: how variants name a value.
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

  /// Reports when there are too many combinations.
  func check(variants count: Int) {
    guard count > TargetVariant.maximumCount else { return }
    value.report(
      "has \(count) combinations of listed values",
      remedy: "at most \(TargetVariant.maximumCount) make sense: shorten the lists")
  }
}
