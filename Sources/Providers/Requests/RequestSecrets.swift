/// What a request proves itself with and whom it is for. A service, or a proxy on the way, that repeats it in the words of
/// its answer shall not get it into logs and stores.
public struct RequestSecrets: Sendable {
  private let secrets: [[Unicode.Scalar]]

  /// Whatever is shorter is a word that could stand anywhere; in a URL even longer ones are.
  private static let shortest = 8
  private static let shortestInURL = 16
  /// A part of a secret that is as long as this is hidden too: reasons are cut.
  private static let part = 12

  /// Headers that say nothing secret.
  private static let harmless: Set<String> = [
    "accept", "apns-collapse-id", "apns-expiration", "apns-id", "apns-priority", "apns-push-type",
    "apns-topic", "cache",
    "content-encoding", "content-type", "priority", "topic", "ttl", "urgency", "user-agent",
  ]

  public init(of request: PushRequest) {
    var texts: [Substring] = []
    for header in request.headers where !Self.harmless.contains(header.name) {
      texts.append(header.value[...])
      // `Bearer token`, `vapid t=token,k=key`.
      texts += header.value.split { " ,;".contains($0) }
        .map { $0.hasPrefix("t=") || $0.hasPrefix("k=") ? $0.dropFirst(2) : $0 }
    }
    // Behind scheme and host: device tokens, subscriptions, webhooks' own secrets.
    let path = request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    texts += path.split { "/?&=#".contains($0) }.dropFirst().filter { $0.utf8.count >= Self.shortestInURL }
    if request.headers.contains(HeaderField("content-type", "application/x-www-form-urlencoded")) {
      let form = String(decoding: request.body, as: UTF8.self)
      texts += form.split { "&=".contains($0) }.filter { $0.utf8.count > 64 }
    }
    secrets = Set(texts.map(String.init)).filter { $0.unicodeScalars.count >= Self.shortest }
      .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }.map { Array($0.unicodeScalars) }
  }

  /// The text with `(hidden)` in the place of each secret, and of each beginning of one.
  public func hidden(in text: String) -> String {
    guard !text.isEmpty, !secrets.isEmpty else { return text }
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      if let length = secrets.lazy.compactMap({ Self.match($0, scalars[index...]) }).first {
        result.append(contentsOf: "(hidden)".unicodeScalars)
        index += length
      } else {
        result.append(scalars[index])
        index += 1
      }
    }
    return String(result)
  }

  /// How much of a secret stands at the beginning of a text; `nil` when that tells nothing.
  private static func match(_ secret: [Unicode.Scalar], _ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let length = zip(secret, text).prefix { $0 == $1 }.count
    return length >= min(secret.count, part) ? length : nil
  }
}
