/// Plain decimal numbers: digits, at most one point, nothing else; what `Double(_:)` takes besides (`nan`, `0x1p3`,
/// `1e400`) is no number to find in a file.
enum DecimalText {
  /// Splits `1.5ms` into 1.5 and `ms`; `nil` when it does not begin with a decimal number of at most 18 digits.
  static func split(_ text: String) -> (number: Double, unit: Substring)? {
    let digits = text.prefix { $0 == "." || ("0"..."9").contains($0) }
    guard digits.count <= 18, digits.first?.isNumber == true, digits.last?.isNumber == true,
      digits.count(where: { $0 == "." }) <= 1, let number = Double(digits)
    else { return nil }
    return (number, text[digits.endIndex...])
  }

  /// A whole text that is a decimal number, with a sign or without.
  static func number(_ text: String) -> Double? {
    let isNegative = text.hasPrefix("-")
    guard let (number, unit) = split(isNegative ? String(text.dropFirst()) : text), unit.isEmpty else {
      return nil
    }
    return isNegative ? -number : number
  }
}
