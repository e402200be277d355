import Measurement
import Yams

extension YAMLValue {
  /// Reads a text, with `${NAME}` taken from the environment; not empty, no control characters.
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
      report("has control characters in it", remedy: "leave them out")
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
    guard range.contains(number) else {
      report(
        "\(scalar.quoted) is out of range",
        remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  /// Reads a decimal number within a range.
  public func number(in range: ClosedRange<Double>) -> Double? {
    guard let scalar = scalar() else { return nil }
    guard let number = DecimalText.number(scalar.text) else {
      report("\(scalar.quoted) is not a number", remedy: "write a decimal number, like 0.5")
      return nil
    }
    guard range.contains(number) else {
      report(
        "\(scalar.quoted) is out of range",
        remedy: "write a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
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

  /// Reads a rate like `4/s`.
  public func rate() -> ArrivalRate? { parsed(RateText.parse) }

  /// Reads one of an enumeration's raw values.
  ///
  /// - Parameter reserved: words with a meaning elsewhere or later, and what to say about each.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    of type: Choice.Type, reserved: [String: String] = [:]
  ) -> Choice? where Choice.RawValue == String {
    guard let scalar = scalar() else { return nil }
    if let choice = Choice(rawValue: scalar.text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    if let message = reserved[scalar.text] {
      report("\(scalar.quoted) \(message)", remedy: "use one of: \(words.joined(separator: ", "))")
    } else {
      report(
        "\(scalar.quoted) is not known here",
        remedy: NearestWord.remedy(for: scalar.text, among: words, noun: "words here"))
    }
    return nil
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

  /// What `${NAME}` stands for in it, or anywhere below it.
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

  /// A single value as text.
  struct Scalar {
    /// With references replaced.
    let text: String
    /// As the file has it, in quotes: the only form to show.
    let quoted: String
    let isExpanded: Bool
  }

  func scalar() -> Scalar? {
    guard !isEmpty else { return nil }
    guard let scalar = node.scalar else {
      report("is \(kind) where a single value is needed", remedy: "write the value behind the colon")
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
