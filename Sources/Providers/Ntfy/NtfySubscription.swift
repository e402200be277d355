/// The stream of a topic's events, one JSON object a line.
public struct NtfySubscription: Sendable, Hashable {
  /// From where on a subscriber wants to hear.
  public enum Since: Sendable, Hashable {
    /// What comes from now on.
    case now
    /// And before that what the server took at this second of its clock or later (Unix), as far as it kept it.
    ///
    /// Not the id of the last message: the server looks for it among what it kept, and to one that was not kept it
    /// answers with everything on the topic.
    case time(Int64)

    var value: String? {
      switch self {
      case .now: nil
      case .time(let seconds): String(seconds)
      }
    }
  }

  private let url: String
  private let headers: [HeaderField]

  /// - Parameters:
  ///   - origin: scheme, host and port, without a trailing slash.
  ///   - topic: see ``NtfyDialect/isTopic(_:)``.
  public init(origin: String, topic: String, authorization: NtfyAuthorization = .none) throws(ProviderError) {
    guard NtfyDialect.isTopic(topic) else {
      throw ProviderError(
        "topic", "is none", remedy: "write 1 to 64 letters, digits, hyphens and underscores")
    }
    url = "\(origin)/\(topic)/json"
    headers = authorization.headers
  }

  /// The request whose answer never ends.
  public func request(since: Since = .now) -> PushRequest {
    let query = since.value.map { "?since=\($0)" } ?? ""
    return PushRequest(method: "GET", url: url + query, headers: headers)
  }
}
