import Measurement
import Yams

extension YAMLValue {
  /// Reads a text and expands `${NAME}` references; not empty, without control characters.
  public func string(maximumBytes: Int = 4096) -> String? {
    guard let scalar = scalar() else { return nil }
    guard !scalar.text.isEmpty else {
      report("is empty", remedy: "write a text, or delete the key")
      return nil
    }
    guard scalar.text.utf8.count <= maximumBytes else {
      report("is longer than \(maximumBytes) bytes", remedy: "shorten it")
      return nil
    }
    guard scalar.text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      report("contains control characters", remedy: "remove them")
      return nil
    }
    return scalar.text
  }

  /// Reads a whole number within a range.
  public func integer(in range: ClosedRange<Int>) -> Int? {
    guard let scalar = scalar() else { return nil }
    guard let number = Int(scalar.text) else {
      report(
        "\(scalar.quoted) is not a whole number",
        remedy: "write one from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return isWithin(range, number, scalar.quoted) ? number : nil
  }

  private func isWithin<Number>(_ range: ClosedRange<Number>, _ number: Number, _ quoted: String) -> Bool {
    if range.contains(number) { return true }
    report(
      "\(quoted) is out of range", remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
    return false
  }

  /// Reads a decimal number within a range.
  public func number(in range: ClosedRange<Double>) -> Double? {
    guard let scalar = scalar() else { return nil }
    guard let number = DecimalText.number(scalar.text) else {
      report("\(scalar.quoted) is not a number", remedy: "write a decimal number, like 0.5")
      return nil
    }
    return isWithin(range, number, scalar.quoted) ? number : nil
  }

  /// Reads a share from 0 to 1, also written as `2.5%`.
  public func fraction() -> Double? {
    guard let scalar = scalar() else { return nil }
    let isPercent = scalar.text.hasSuffix("%")
    guard let number = DecimalText.number(isPercent ? String(scalar.text.dropLast()) : scalar.text),
      (0...(isPercent ? 100 : 1)).contains(number)
    else {
      report("\(scalar.quoted) is not a share", remedy: "write a number from 0 to 1, or a percentage like 1%")
      return nil
    }
    return isPercent ? number / 100 : number
  }

  /// Reads `true` or `false`.
  public func boolean() -> Bool? {
    guard let scalar = scalar() else { return nil }
    guard let value = Bool(scalar.text) else {
      report("\(scalar.quoted) is neither true nor false", remedy: "write true or false")
      return nil
    }
    return value
  }

  /// Reads a duration like `250ms` within a range.
  public func duration(in range: ClosedRange<Duration>) -> Duration? {
    guard let duration = parsed(DurationText.parse) else { return nil }
    guard range.contains(duration) else {
      let low = DurationText.format(range.lowerBound)
      let high = DurationText.format(range.upperBound)
      report(
        "\(DurationText.format(duration)) is out of range", remedy: "write a duration from \(low) to \(high)")
      return nil
    }
    return duration
  }

  /// Reads one of an enumeration's raw values.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    of type: Choice.Type
  ) -> Choice? where Choice.RawValue == String { choice(among: Array(type.allCases)) }

  /// Reads the raw value of one of `choices`.
  public func choice<Choice: RawRepresentable>(
    among choices: [Choice]
  ) -> Choice? where Choice.RawValue == String {
    guard let scalar = scalar() else { return nil }
    if let choice = choices.first(where: { $0.rawValue == scalar.text }) { return choice }
    report(
      "\(scalar.quoted) is not a valid value",
      remedy: NearestWord.remedy(
        for: Self.switched(scalar.text, among: choices.map(\.rawValue)), among: choices.map(\.rawValue),
        noun: "values"))
    return nil
  }

  /// A boolean in the words of choices that are `on` and `off`.
  private static func switched(_ text: String, among choices: [String]) -> String {
    guard choices.contains("on"), choices.contains("off") else { return text }
    return switch text.lowercased() {
    case "true", "yes", "1": "on"
    case "false", "no", "0": "off"
    default: text
    }
  }

  /// Reads a text through a parser whose error says what is wrong.
  public func parsed<Result>(_ parse: (String) throws(ValueTextError) -> Result) -> Result? {
    guard let scalar = scalar() else { return nil }
    do throws(ValueTextError) {
      return try parse(scalar.text)
    } catch {
      report(
        "\(scalar.isExpanded ? scalar.quoted : "\"\(error.text)\"") \(error.problem)", remedy: error.remedy)
      return nil
    }
  }

  /// Values of the `${NAME}` references in this value and in all values below it.
  var environmentValues: [Secret] {
    func collect(_ node: Node) -> [String] {
      switch node {
      case .scalar(let scalar):
        EnvironmentReferences.values(in: scalar.string, environment: context.environment)
      case .mapping(let mapping): mapping.flatMap { collect($0.value) }
      case .sequence(let sequence): sequence.flatMap(collect)
      default: []
      }
    }
    return collect(node).map { Secret($0) }
  }

  /// The text of a single value.
  struct Scalar {
    /// The text with references expanded.
    let text: String
    /// The text as written in the file, in quotes: the only form that messages may contain.
    let quoted: String
    let isExpanded: Bool
  }

  func scalar() -> Scalar? {
    guard !isEmpty else { return nil }
    guard let scalar = node.scalar else {
      report("is \(kind) where a single value is required", remedy: "write the value after the colon")
      return nil
    }
    do throws(EnvironmentReferences.Failure) {
      let (text, isExpanded) = try EnvironmentReferences.expand(
        scalar.string, environment: context.environment)
      return Scalar(text: text, quoted: scalar.string.quoted, isExpanded: isExpanded)
    } catch {
      switch error {
      case .unset(let name):
        report(
          "the environment variable \(name.visibleText) is not set",
          remedy: "set it before starting, or write $${ for a plain ${")
      case .malformed:
        report("has a broken ${ reference", remedy: "write ${NAME}, or $${ for a plain ${")
      }
      return nil
    }
  }
}

extension YAMLValue {
  /// Reads the path of a readable file. Relative paths start at the configuration file's directory.
  public func file(maximumBytes: Int = 1024 * 1024) -> String? {
    guard let location = fileLocation() else { return nil }
    guard !location.isNameOnly else { return location.path }
    return contents(of: location.path, maximumBytes: maximumBytes) == nil ? nil : location.path
  }

  /// Reads a path and returns the content of its file.
  public func fileContents(maximumBytes: Int) -> [UInt8]? {
    guard let location = fileLocation() else { return nil }
    return location.isNameOnly ? nil : contents(of: location.path, maximumBytes: maximumBytes)
  }

  /// Reads the path of a secret file: at least `minimumBytes` long and readable by its owner only.
  public func secretFile(minimumBytes: Int = 1) -> SecretFile? {
    guard let location = fileLocation() else { return nil }
    let path = location.path
    let file = SecretFile(path: path, isServiceCredential: location.isServiceCredential)
    guard !location.isNameOnly else { return file }
    do throws(FileReadError) {
      let count = try file.read().count
      guard count >= minimumBytes else {
        report(
          "\"\(path.visiblePath)\" has \(CountText.text(count, "byte")), too few for a secret",
          remedy: "write at least \(minimumBytes), for example: openssl rand -hex 32")
        return nil
      }
      return file
    } catch {
      report(error.message, remedy: error.remedy)
      return nil
    }
  }

  /// Reads a path, or `credential:NAME`, a file that the service manager gives.
  private func fileLocation() -> FileLocation? {
    guard let text = string() else { return nil }
    guard text.hasPrefix(FileLocation.credentialPrefix) else {
      return FileLocation(path: context.resolve(text))
    }
    let name = String(text.dropFirst(FileLocation.credentialPrefix.count))
    guard FileLocation.isCredentialName(name) else {
      report(
        "does not name a credential: \"\(name.visibleText)\"",
        remedy:
          "use letters, digits and . _ - as in the unit's LoadCredential=, for example credential:apns.p8")
      return nil
    }
    let directory = context.environment["CREDENTIALS_DIRECTORY"] ?? ""
    if directory.hasPrefix("/") {
      return FileLocation(path: "\(directory)/\(name)", isServiceCredential: true)
    }
    guard context.acceptsUnreadCredentials else {
      report(
        "is given by the service manager, which did not start this process (CREDENTIALS_DIRECTORY is not set)",
        remedy:
          "start the unit with systemctl and add LoadCredential=\(name):/path/of/the/file to it, or name a file here"
      )
      return nil
    }
    context.record(unreadCredential: name)
    return FileLocation(path: text, isServiceCredential: true, isNameOnly: true)
  }

  private func contents(of path: String, maximumBytes: Int) -> [UInt8]? {
    do throws(FileReadError) {
      let bytes = try ReadFile(path: path, maximumBytes: maximumBytes).bytes
      guard !bytes.isEmpty else { throw FileReadError(code: .empty, path: path) }
      return bytes
    } catch {
      report(error.message, remedy: error.remedy)
      return nil
    }
  }
}

/// Where a file that the configuration names is.
private struct FileLocation {
  /// `credential:NAME` itself where only the name is checked.
  var path: String
  var isServiceCredential = false
  /// The file is not here and is not read: see ``YAMLContext/acceptsUnreadCredentials``.
  var isNameOnly = false

  static let credentialPrefix = "credential:"

  /// Names that systemd accepts (systemd.exec(5), LoadCredential=), without those that a path would need quoting for.
  static func isCredentialName(_ name: String) -> Bool {
    guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255 else { return false }
    return name.utf8.allSatisfy(ASCII.isName)
  }
}

/// Expands `${NAME}` to the value of an environment variable, so that files need not contain secrets; `$${` is a literal
/// `${`.
enum EnvironmentReferences {
  enum Failure: Error, Equatable {
    case unset(name: String)
    case malformed
  }

  /// The expanded text, and whether it contained references: then messages must not quote it.
  static func expand(
    _ text: String, environment: [String: String]
  ) throws(Failure) -> (text: String, isExpanded: Bool) {
    guard text.contains("${") else { return (text, false) }
    var result = ""
    var isExpanded = false
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      let after = rest[rest.index(after: dollar)...]
      if after.hasPrefix("${") {
        result += "${"
        rest = after.dropFirst(2)
      } else if after.hasPrefix("{") {
        guard let end = after.firstIndex(of: "}") else { throw .malformed }
        let name = String(after[after.index(after: after.startIndex)..<end])
        guard name.isIdentifier else { throw .malformed }
        guard let value = environment[name] else { throw .unset(name: name) }
        result += value
        isExpanded = true
        rest = after[after.index(after: end)...]
      } else {
        result += "$"
        rest = after
      }
    }
    return (result + rest, isExpanded)
  }

  /// Values of the references in a text.
  static func values(in text: String, environment: [String: String]) -> [String] {
    guard text.contains("${") else { return [] }
    // `$${NAME}` is no reference; including it hides too much rather than too little.
    return text.split(separator: "${", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstIndex(of: "}").flatMap { environment[String(part[..<$0])] }
    }
  }
}
