/// The values of a mapping whose keys have been checked.
public struct YAMLMapping {
  /// The mapping itself, to report about it as a whole.
  public let value: YAMLValue
  let values: [String: YAMLValue]

  /// The key's value; `nil` when it is not given.
  public subscript(key: String) -> YAMLValue? { values[key] }

  /// The key's value; reported when it is not given.
  ///
  /// - Parameter example: a line to write, like `rate: 4/s`.
  public func required(_ key: String, example: String) -> YAMLValue? {
    if let found = values[key] { return found }
    value.report("needs the key \"\(key)\"", remedy: "add a line like `\(example)`")
    return nil
  }

  /// Reports when both keys are given, since only one of them can hold.
  public func exclude(_ key: String, with other: String) {
    guard values[key] != nil, let second = values[other] else { return }
    second.report("cannot stand beside \"\(key)\"", remedy: "keep one of the two")
  }
}
