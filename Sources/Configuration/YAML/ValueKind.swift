/// Kind of a key's value: which values there are, and how one is read and written.
struct ValueKind<Value> {
  /// What the reference says of the values, as Markdown.
  let values: String
  /// A value as it would be written in the file.
  var text: (Value) -> String = { "\($0)" }
  /// Reports a problem and returns `nil` for a value that is not of the kind.
  let read: (YAMLValue) -> Value?
}

extension ValueKind {
  /// A text with a parser of its own, whose error says what is wrong.
  static func parsed(
    _ values: String, _ parse: @escaping (String) throws(ValueTextError) -> Value,
    text: @escaping (Value) -> String = { "\($0)" }
  ) -> Self {
    Self(values: values, text: text) { $0.parsed(parse) }
  }

  /// A list, or a value with a reader of its own.
  static func read(_ values: String, _ read: @escaping (YAMLValue) -> Value?) -> Self {
    Self(values: values, read: read)
  }
}

extension ValueKind where Value: ConfigurationSection {
  static func section(_ type: Value.Type) -> Self { Self(values: "a section") { Value($0) } }
}

extension ValueKind where Value: RawRepresentable, Value.RawValue == String {
  /// One of `choices`.
  static func choice(among choices: [Value]) -> Self {
    Self(values: choices.map { "`\($0.rawValue)`" }.joined(separator: " "), text: \.rawValue) {
      $0.choice(among: choices)
    }
  }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static func choice(of type: Value.Type) -> Self { choice(among: Array(type.allCases)) }
}

extension ValueKind<Bool> {
  static var boolean: Self { Self(values: "`true` `false`") { $0.boolean() } }
}

extension ValueKind<Int> {
  static func integer(in range: ClosedRange<Int>) -> Self {
    Self(values: "`\(range.lowerBound)` to `\(range.upperBound)`") { $0.integer(in: range) }
  }
}

extension ValueKind<Double> {
  /// A share from 0 to 1, also written as a percentage.
  static var fraction: Self { Self(values: "0 to 1") { $0.fraction() } }
}

extension ValueKind<Duration> {
  static func duration(in range: ClosedRange<Duration>) -> Self {
    let (low, high) = (DurationText.format(range.lowerBound), DurationText.format(range.upperBound))
    return Self(values: "`\(low)` to `\(high)`", text: DurationText.format) { $0.duration(in: range) }
  }
}

extension ValueKind<String> {
  static func text(_ values: String? = nil, maximumBytes: Int) -> Self {
    Self(values: values ?? "at most \(maximumBytes) bytes") { $0.string(maximumBytes: maximumBytes) }
  }

  /// Path of a file.
  static var file: Self { Self(values: "a file") { $0.file() } }

  /// Path of a directory, which need not exist.
  static var directory: Self {
    Self(values: "a directory") { value in value.string().map(value.context.resolve) }
  }
}

extension ValueKind<SecretFile> {
  static func secretFile(minimumBytes: Int = 1) -> Self {
    Self(values: "a secret's file") { $0.secretFile(minimumBytes: minimumBytes) }
  }
}

extension ValueKind<ListenAddress> {
  static var address: Self { parsed("address and port", ListenAddress.parse) }
}
