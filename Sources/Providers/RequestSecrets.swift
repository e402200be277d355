import FoundationEssentials
import Measurement

/// The credentials and receiver of a request. If a response repeats them, they must not reach logs and stores in any
/// form: whole or cut, in upper or lower case, percent-encoded, with JSON's `\/`, or Base64-decoded.
///
/// Scheme, host and the header of a JSON Web Token are not secret.
public struct RequestSecrets: Sendable {
  private enum Rule: Sendable {
    /// Any eight or more bytes of it are hidden.
    case infixes
    /// Only the whole text is hidden, since it may contain ordinary words.
    case whole
    /// Short text, hidden only between characters other than letters and digits.
    case word
  }

  private struct Form: Sendable, Hashable {
    /// The secret's text in lower case.
    var text: [UInt8]
    var rule: Rule
  }

  /// Least number of bytes that reveal something of a secret.
  private static let gram = 8
  private static let shortestWord = 4
  /// Shorter parts of a path are names of calls and collections.
  private static let shortestInURL = 16
  /// Limits of one secret and of all, so that a rejected response costs microseconds.
  private static let longest = 4096
  private static let longestTogether = 32 * 1024

  /// Headers without secrets.
  private static let harmless: Set<String> = [
    "accept", "accept-encoding", "accept-language", "apns-collapse-id", "apns-expiration", "apns-id",
    "apns-priority", "apns-push-type", "apns-topic", "cache", "cache-control", "content-encoding",
    "content-language", "content-type", "expect", "host", "origin", "prefer", "priority", "topic", "ttl",
    "urgency", "user-agent",
  ]
  /// Parts of names of query parameters whose values are secret at any length.
  private static let telling = ["auth", "key", "pass", "secret", "sig", "token"]

  private var forms: Set<Form> = []
  private var total = 0

  public init(of request: PushRequest) {
    for text in request.secrets { add(text) }
    for header in request.headers where !Self.harmless.contains(header.name) {
      addHeader(header.value, isAuthorization: header.name.hasSuffix("authorization"))
    }
    addURL(request.url)
    if request.headers.contains(HeaderField("content-type", "application/x-www-form-urlencoded")) {
      let form = String(decoding: request.body.prefix(Self.longest), as: UTF8.self)
      for value in form.split(whereSeparator: { "&=".contains($0) }) where value.utf8.count > 64 {
        addToken(value)
      }
    }
  }

  // MARK: Forms

  private mutating func add(_ text: some StringProtocol, as rule: Rule = .infixes) {
    let folded = FoldedText(text.utf8.prefix(Self.longest)).bytes
    guard folded.count >= Self.shortestWord, total + folded.count <= Self.longestTogether else { return }
    total += folded.count
    forms.insert(Form(text: folded, rule: folded.count < Self.gram ? .word : rule))
  }

  /// A token, without the header of a JSON Web Token, which many tokens share (RFC 7515, section 3).
  private mutating func addToken(_ text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 3, parts[0].hasPrefix("eyJ") {
      add(text.dropFirst(parts[0].utf8.count + 1))
    } else {
      add(text)
    }
  }

  /// `Bearer token`, `Basic user:password`, `vapid t=token,k=key`, or another value.
  private mutating func addHeader(_ value: String, isAuthorization: Bool) {
    var pieces = value.split { " ,;".contains($0) }
    // Short values are secret only in an authorization header.
    func isSecret(_ text: Substring) -> Bool { isAuthorization || text.utf8.count >= Self.gram }
    guard isAuthorization || pieces.count > 1 else {
      if isSecret(value[...]) { addToken(value[...]) }
      return
    }
    if value.utf8.count >= Self.gram { add(value, as: .whole) }
    if isAuthorization, pieces.count > 1 {
      let scheme = pieces.removeFirst()
      if scheme.lowercased() == "basic", let first = pieces.first { addBasic(first) }
    }
    for piece in pieces {
      // Values of parameters, with or without quotes; a trailing `=` is Base64 padding.
      let sign = piece.firstIndex(of: "=").flatMap { piece[$0...].allSatisfy { $0 == "=" } ? nil : $0 }
      let bare = sign.map { piece[piece.index(after: $0)...] } ?? piece
      let text = bare.drop { $0 == "\"" }
      let token = text.hasSuffix("\"") ? text.dropLast() : text
      if isSecret(token) { addToken(token) }
    }
  }

  /// Password and user (RFC 7617).
  private mutating func addBasic(_ encoded: Substring) {
    guard let data = Data(base64Encoded: String(encoded)) else { return }
    let decoded = String(decoding: data, as: UTF8.self)
    add(decoded, as: .whole)
    if let colon = decoded.firstIndex(of: ":") { add(decoded[decoded.index(after: colon)...]) }
  }

  /// Device tokens, subscriptions and webhook secrets in path and query.
  private mutating func addURL(_ url: String) {
    let target =
      url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).first ?? ""
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    for part in (halves.first ?? "").split(whereSeparator: { "/#".contains($0) })
    where part.utf8.count >= Self.shortestInURL {
      add(part, as: Self.isOpaque(part) ? .infixes : .whole)
    }
    for parameter in halves.dropFirst().first?.split(separator: "&") ?? [] {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      let value = pair.last ?? parameter
      let name = pair.count > 1 ? pair[0].lowercased() : ""
      if value.utf8.count >= Self.shortestInURL || Self.telling.contains(where: name.contains) {
        addToken(value)
      }
    }
  }

  /// Whether it resembles a key rather than words: parts of `messages-to-all-users` may occur in any reason.
  private static func isOpaque(_ part: Substring) -> Bool {
    let hasDigits = part.utf8.contains { (48...57).contains($0) }
    let hasCapitals = part.utf8.contains { (65...90).contains($0) }
    return hasDigits || hasCapitals || !part.utf8.contains { "-_.~:".utf8.contains($0) }
  }

  // MARK: Hiding

  /// The text with `(hidden)` instead of each secret and each revealing part of one.
  public func hidden(in text: String) -> String {
    guard !forms.isEmpty else { return text }
    let folded = FoldedText(text.utf8)
    var isHidden = [Bool](repeating: false, count: folded.bytes.count)
    hideInfixes(folded.bytes, &isHidden)
    for form in forms where form.rule != .infixes {
      Self.hide(form.text, asWord: form.rule == .word, in: folded.bytes, &isHidden)
    }
    guard isHidden.contains(true) else { return text }
    return Self.replace(folded, &isHidden, in: Array(text.utf8))
  }

  /// Marks every 8-byte substring that the text shares with a secret, in linear time.
  private func hideInfixes(_ text: [UInt8], _ isHidden: inout [Bool]) {
    guard text.count >= Self.gram else { return }
    // A Bloom filter of the text's substrings avoids most set lookups.
    var filter = [UInt64](repeating: 0, count: 64)
    func bit(_ gram: UInt64) -> (word: Int, mask: UInt64) {
      let hash = (gram &* 0x9E37_79B9_7F4A_7C15) >> 52
      return (Int(hash >> 6), 1 << (hash & 63))
    }
    var grams = Set<UInt64>(minimumCapacity: text.count)
    Self.forEachGram(text) { gram, _ in
      grams.insert(gram)
      let bit = bit(gram)
      filter[bit.word] |= bit.mask
    }
    var found: Set<UInt64> = []
    for form in forms where form.rule == .infixes {
      Self.forEachGram(form.text) { gram, _ in
        let bit = bit(gram)
        if filter[bit.word] & bit.mask != 0, grams.contains(gram) { found.insert(gram) }
      }
    }
    guard !found.isEmpty else { return }
    Self.forEachGram(text) { gram, end in
      if found.contains(gram) { for index in (end + 1 - Self.gram)...end { isHidden[index] = true } }
    }
  }

  /// - Parameter body: receives eight bytes as one number, and the index of the last.
  private static func forEachGram(_ text: [UInt8], _ body: (UInt64, Int) -> Void) {
    var gram: UInt64 = 0
    for (index, byte) in text.enumerated() {
      gram = gram << 8 | UInt64(byte)
      if index + 1 >= Self.gram { body(gram, index) }
    }
  }

  private static func hide(_ secret: [UInt8], asWord: Bool, in text: [UInt8], _ isHidden: inout [Bool]) {
    guard let first = secret.first, text.count >= secret.count else { return }
    func isWordByte(_ index: Int) -> Bool {
      text.indices.contains(index) && ((48...57).contains(text[index]) || (97...122).contains(text[index]))
    }
    for start in 0...(text.count - secret.count) where text[start] == first {
      let end = start + secret.count
      guard text[start..<end].elementsEqual(secret) else { continue }
      if asWord, isWordByte(start - 1) || isWordByte(end) { continue }
      for index in start..<end { isHidden[index] = true }
    }
  }

  private static func replace(_ text: FoldedText, _ isHidden: inout [Bool], in original: [UInt8]) -> String {
    var result: [UInt8] = []
    var index = 0
    while index < isHidden.count {
      guard isHidden[index] else {
        result += original[text.range(at: index)]
        index += 1
        continue
      }
      // Hides the header of a JSON Web Token with its payload.
      let header = result.lastIndex { !ASCII.isName($0) }.map { $0 + 1 } ?? 0
      if result.last == UInt8(ascii: "."), result[header...].starts(with: "eyJ".utf8) {
        result.removeSubrange(header...)
      }
      while index < isHidden.count, isHidden[index] { index += 1 }
      result += "(hidden)".utf8
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// A text with ASCII letters in lower case, and percent-encoding and JSON's `\/` decoded.
private struct FoldedText {
  private(set) var bytes: [UInt8] = []
  /// Index of each byte in the original text.
  private var starts: [Int] = []
  private let count: Int

  init(_ text: some Sequence<UInt8>) {
    let text = Array(text)
    count = text.count
    bytes.reserveCapacity(count)
    starts.reserveCapacity(count)
    var index = 0
    while index < count {
      starts.append(index)
      var byte = text[index]
      var length = 1
      if byte == UInt8(ascii: "%"), index + 2 < count, let high = Self.digit(text[index + 1]),
        let low = Self.digit(text[index + 2])
      {
        (byte, length) = (high << 4 | low, 3)
      } else if byte == UInt8(ascii: "\\"), index + 1 < count, text[index + 1] == UInt8(ascii: "/") {
        (byte, length) = (UInt8(ascii: "/"), 2)
      }
      bytes.append((65...90).contains(byte) ? byte | 0x20 : byte)
      index += length
    }
  }

  func range(at index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < starts.count ? starts[index + 1] : count)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
