/// The parameters of a control sequence (ECMA-48 5.4): numbers between semicolons, after a private prefix.
enum ControlParameters {
  /// Empty parameters count 0, numbers above 65 535 as that; intermediate bytes are left out.
  static func parse(_ bytes: [UInt8]) -> (prefix: UInt8?, parameters: [Int]) {
    var rest = bytes[...]
    var prefix: UInt8?
    if let first = rest.first, first >= 0x3C && first <= 0x3F {
      prefix = first
      rest = rest.dropFirst()
    }
    var parameters: [Int] = []
    var number: Int?
    for byte in rest {
      switch byte {
      case 0x30...0x39: number = min((number ?? 0) * 10 + Int(byte - 0x30), 65_535)
      case 0x3B:
        parameters.append(number ?? 0)
        number = nil
      default: break
      }
    }
    if let number { parameters.append(number) } else if !parameters.isEmpty { parameters.append(0) }
    return (prefix, parameters)
  }
}
