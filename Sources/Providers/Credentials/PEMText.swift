/// The first PEM block of a text (RFC 7468), taken apart far enough to say what is wrong with a file.
struct PEMText {
  /// `PRIVATE KEY` and the like.
  let label: String
  /// What the block's base64 says.
  let der: [UInt8]

  private static let begin = "-----BEGIN "
  private static let dashes = "-----"

  /// - Parameter remedy: where a right file comes from.
  init(_ text: [UInt8], remedy: String) throws(CredentialError) {
    guard let text = String(validating: text, as: UTF8.self) else {
      throw CredentialError(.malformed, "is not text, so it is no PEM", remedy: remedy)
    }
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmed }
    guard let first = lines.firstIndex(where: { $0.hasPrefix(Self.begin) }) else {
      throw CredentialError(.malformed, "has no -----BEGIN line, so it is no PEM", remedy: remedy)
    }
    let tail = lines[first].dropFirst(Self.begin.count)
    guard tail.hasSuffix(Self.dashes) else {
      throw CredentialError(.truncated, "ends within its -----BEGIN line", remedy: remedy)
    }
    let label = String(tail.dropLast(Self.dashes.count))
    self.label = label
    let rest = lines[(first + 1)...]
    guard let end = rest.firstIndex(where: { $0 == "-----END \(label)-----" }) else {
      throw CredentialError(
        .truncated, "ends before its -----END line: a part of it is missing", remedy: remedy)
    }
    // Old OpenSSL files carry headers like Proc-Type, which say that they are encrypted.
    guard !rest[..<end].contains(where: { $0.contains(":") }) else {
      throw CredentialError(
        .wrongKey, "is encrypted with a passphrase", remedy: "take it off: openssl pkey -in FILE -out FILE2")
    }
    guard let der = Base64Text.decode(rest[..<end].joined()), !der.isEmpty else {
      throw CredentialError(
        .malformed, "has characters between its PEM lines that are not base64", remedy: remedy)
    }
    self.der = der
    guard let length = Self.outerLength(of: der), length <= der.count else {
      throw CredentialError(.truncated, "is shorter than it says: a part of it is missing", remedy: remedy)
    }
  }

  /// How long the outer DER value says it is, its head included (X.690, section 8.1.3).
  private static func outerLength(of der: [UInt8]) -> Int? {
    guard der.count >= 2 else { return nil }
    let first = Int(der[1])
    guard first >= 0x80 else { return 2 + first }
    let digits = first & 0x7F
    guard (1...3).contains(digits), der.count >= 2 + digits else { return nil }
    return der[2..<(2 + digits)].reduce(0) { $0 << 8 | Int($1) } + 2 + digits
  }

  /// Whether an object identifier's encoding stands somewhere in it.
  func contains(_ identifier: [UInt8]) -> Bool {
    guard identifier.count <= der.count else { return false }
    return (0...(der.count - identifier.count)).contains {
      der[$0..<($0 + identifier.count)].elementsEqual(identifier)
    }
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
