/// Keys of a section, each declared once: reading, the lists in error texts, docs/configuration.md and pushscope.yaml(5)
/// come from the declaration.
///
/// The stored properties are the keys (``Key``), in the order in which they are listed.
protocol SectionKeys {
  /// Heading in the reference, like `collector.receipts`.
  static var title: String { get }
  /// Text above the section's table.
  static var introduction: String { get }
  init()
}

extension SectionKeys {
  static var introduction: String { "" }

  /// Rows of the section's table.
  static var rows: [KeyRow] {
    Mirror(reflecting: Self()).children.flatMap { ($0.value as? any KeyDeclaration)?.rows ?? [] }
  }

  static var names: [String] { rows.map(\.name) }
}

/// One row of the reference. The texts are Markdown.
struct KeyRow {
  let name: String
  /// Value without the key; "–" for none.
  let standard: String
  let values: String
  let meaning: String
}

/// A key whose type of value does not matter.
protocol KeyDeclaration {
  var rows: [KeyRow] { get }
}

/// A key: how it is read, and what the reference says about it.
struct Key<Value>: KeyDeclaration {
  /// One row, or two for a secret that is a file or a text.
  let rows: [KeyRow]
  let read: (YAMLMapping) -> Value
}

extension Key {
  /// A key that may be left out. It is read as `nil` then, and where the value was refused.
  init<Read>(
    _ name: String, _ kind: ValueKind<Read>, standard: String = "–", _ meaning: String
  ) where Value == Read? {
    rows = [KeyRow(name: name, standard: standard, values: kind.values, meaning: meaning)]
    read = { $0[name].flatMap(kind.read) }
  }

  /// - Parameter example: line that the problem of a missing key shows.
  init<Read>(
    _ name: String, _ kind: ValueKind<Read>, required example: String, standard: String = "required",
    _ meaning: String
  ) where Value == Read? {
    rows = [KeyRow(name: name, standard: standard, values: kind.values, meaning: meaning)]
    read = { $0.required(name, example: example).flatMap(kind.read) }
  }

  /// A key that has a value without a line, and where the line was refused.
  init(
    _ name: String, _ kind: ValueKind<Value>, default value: Value, standard: String? = nil,
    _ meaning: String
  ) {
    let standard = standard ?? "`\(kind.text(value))`"
    rows = [KeyRow(name: name, standard: standard, values: kind.values, meaning: meaning)]
    read = { $0[name].flatMap(kind.read) ?? value }
  }

  /// A value or a list of values, of which `value` is the one without the key.
  init<Element: Hashable>(
    _ name: String, listOf kind: ValueKind<Element>, default value: Element, _ meaning: String
  ) where Value == VariantAxis<Element> {
    let meaning = meaning.isEmpty ? "may be a list" : "\(meaning); may be a list"
    rows = [KeyRow(name: name, standard: "`\(kind.text(value))`", values: kind.values, meaning: meaning)]
    read = { $0.axis(name, absent: value, word: kind.text, read: kind.read) }
  }

  /// A value or a list of values, none of which stands for the absent key.
  init<Element: Hashable>(
    _ name: String, listOf kind: ValueKind<Element>, standard: String = "–", _ meaning: String
  ) where Value == VariantAxis<Element?> {
    let meaning = meaning.isEmpty ? "may be a list" : "\(meaning); may be a list"
    rows = [KeyRow(name: name, standard: standard, values: kind.values, meaning: meaning)]
    read = {
      $0.axis(name, absent: nil, word: { $0.map(kind.text) ?? "" }, read: { kind.read($0).map { $0 } })
    }
  }

  /// A secret: `NAME_file` for the path of its file, or `NAME` for a text from the environment.
  ///
  /// - Parameter example: line that is shown when neither is given; `nil` for an optional secret.
  init(
    secret name: String, required example: String? = nil, standard: String? = nil, _ meaning: String
  ) where Value == SecretReference? {
    rows = [
      KeyRow(
        name: "\(name)_file", standard: standard ?? (example == nil ? "–" : "required"),
        values: ValueKind.secretFile().values, meaning: meaning),
      KeyRow(name: name, standard: "–", values: "`${NAME}`", meaning: "from the environment"),
    ]
    read = { $0.secret(name, example: example) }
  }
}

/// A section of a file, whose keys have been checked. `section.listen` reads a key; `section[\.listen]` is its value as written.
@dynamicMemberLookup
struct Section<Keys: SectionKeys> {
  let map: YAMLMapping
  private let keys = Keys()

  init(_ map: YAMLMapping) { self.map = map }

  subscript<Value>(dynamicMember key: KeyPath<Keys, Key<Value>>) -> Value { keys[keyPath: key].read(map) }

  /// The value as written, for problems with it; `nil` where the key is not given.
  subscript(_ key: PartialKeyPath<Keys>) -> YAMLValue? { names(key).lazy.compactMap { map[$0] }.first }

  /// Whether none of these keys is given, nor misspelled, which is reported.
  func lacks(_ keys: PartialKeyPath<Keys>...) -> Bool {
    keys.flatMap(names).allSatisfy { map[$0] == nil && !map.meant.contains($0) }
  }

  /// Reports a problem with the section as a whole.
  func report(_ message: String, remedy: String) { map.value.report(message, remedy: remedy) }

  /// Reports keys that are given beside `key`, with which they have no meaning.
  func exclude(_ key: PartialKeyPath<Keys>, with others: PartialKeyPath<Keys>...) {
    for name in names(key) {
      for other in others.flatMap(names) { map.exclude(name, with: other) }
    }
  }

  private func names(_ key: PartialKeyPath<Keys>) -> [String] {
    (keys[keyPath: key] as? any KeyDeclaration)?.rows.map(\.name) ?? []
  }
}

extension YAMLValue {
  /// Reads a mapping with the keys of a section; any other key is reported with the nearest of them.
  func section<Keys: SectionKeys>(_ keys: Keys.Type) -> Section<Keys>? {
    mapping(keys: keys.names).map { Section($0) }
  }
}

/// A value that is read from a section of its own.
protocol ConfigurationSection {
  associatedtype Keys: SectionKeys
  /// Reports problems; `nil` when there is no value.
  init?(_ section: Section<Keys>)
}

extension ConfigurationSection {
  init?(_ value: YAMLValue) {
    guard let section = value.section(Keys.self) else { return nil }
    self.init(section)
  }
}
