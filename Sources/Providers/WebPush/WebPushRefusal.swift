import FoundationEssentials

/// Why a push service refused a message. RFC 8030 has statuses only; each service words the rest in its own way, and is
/// told by that, not by its address, since any endpoint may be a test server.
public struct WebPushRefusal: Sendable, Hashable {
  public enum Service: Sendable, Hashable {
    /// autopush: `{"code":…,"errno":…,"error":…,"message":…}`.
    case mozilla
    /// `{"reason":…}`.
    case apple
    /// Plain text.
    case google
    /// WNS: `X-WNS-*` headers.
    case windows
    /// `{"code":…,"http":…,"error":…}`, as UnifiedPush servers of that kind word it.
    case ntfy
    /// Nobody we know; a UnifiedPush server with no words of its own, or a proxy.
    case unknown
  }

  public let service: Service
  /// In the service's own words; `errno 103 Gone` for Mozilla, whose number says more than its words.
  public let reason: String
  public let credential: CredentialSignal?

  private struct Body: Decodable {
    var reason: String?
    var errno: Int?
    var code: Int?
    var http: Int?
    var error: String?
    var message: String?

    enum Key: String, CodingKey { case reason, errno, code, http, error, message }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      reason = try? container.decode(String.self, forKey: .reason)
      errno = try? container.decode(Int.self, forKey: .errno)
      code = try? container.decode(Int.self, forKey: .code)
      http = try? container.decode(Int.self, forKey: .http)
      error = try? container.decode(String.self, forKey: .error)
      message = try? container.decode(String.self, forKey: .message)
    }
  }

  public init(_ response: PushResponse) {
    let (service, reason) = Self.read(response)
    self.service = service
    self.reason = ReasonBody.bounded(reason)
    credential =
      switch (response.status, reason) {
      case (_, "ExpiredJwtToken"): .expired
      case (401, _), (403, _): .refused
      default: nil
      }
  }

  private static func read(_ response: PushResponse) -> (Service, String) {
    let wns = ["x-wns-error-description", "x-wns-status", "x-wns-notificationstatus"]
    if let words = wns.lazy.compactMap({ response.headers[$0] }).first(where: { !$0.isEmpty }) {
      return (.windows, words)
    }
    guard ReasonBody.isJSONObject(response.body) else {
      let text = plainText(response)
      return text.isEmpty ? (.unknown, "") : (.google, text)
    }
    guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)) else {
      return (.unknown, "")
    }
    if let errno = body.errno {
      return (
        .mozilla, ["errno \(errno)", body.error ?? body.message].compactMap { $0 }.joined(separator: " ")
      )
    }
    if let reason = body.reason { return (.apple, reason) }
    if body.http != nil, let code = body.code { return (.ntfy, "\(code) \(body.error ?? "")") }
    return (.unknown, body.error ?? body.message ?? "")
  }

  /// The first line of a text that is no markup. Nobody asked for a content coding, so what has one is not read.
  private static func plainText(_ response: PushResponse) -> String {
    let type = response.headers["content-type"]?.lowercased() ?? ""
    let coding = response.headers["content-encoding"]?.lowercased() ?? "identity"
    guard type.isEmpty || type.hasPrefix("text/plain"), coding == "identity" else { return "" }
    let text = String(decoding: response.body.prefix(1024), as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) }),
      !line.hasPrefix("<")
    else { return "" }
    return String(line)
  }
}
