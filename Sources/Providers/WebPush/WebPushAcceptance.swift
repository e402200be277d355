/// What a push service says of a message it took (RFC 8030, section 5).
public struct WebPushAcceptance: Sendable, Hashable {
  /// The message's own resource: deleting it calls the message back. A secret.
  public let location: String?
  /// Where a receipt could be awaited; granted with 202 to those who asked. A secret.
  public let receipt: String?
  /// Seconds, where the service shortened what was asked for.
  public let ttl: Int?

  /// - Returns: `nil` for an answer that accepts nothing.
  public init?(_ response: PushResponse) {
    guard (200...202).contains(response.status) || response.status == 204 else { return nil }
    location = response.headers["location"].flatMap { $0.isEmpty ? nil : $0 }
    receipt = response.headers["link"].flatMap(Self.receipt)
    ttl = response.headers["ttl"].flatMap { text in
      (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(text) : nil
    }
  }

  /// The target of the first link with the receipt's relation (RFC 8288, section 3).
  private static func receipt(in field: String) -> String? {
    var rest = field[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      // Parameters reach to the comma before the next link; a comma may also stand in a quoted value.
      let end = rest.firstIndex(of: "<") ?? rest.endIndex
      for parameter in rest[..<end].split(separator: ";") {
        let parts = parameter.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel" else { continue }
        let relations = parts[1].split { " \t\",".contains($0) }
        if relations.contains(where: { $0.lowercased() == WebPushDialect.receiptRelation }) {
          return String(target)
        }
      }
      rest = rest[end...]
    }
    return nil
  }
}
