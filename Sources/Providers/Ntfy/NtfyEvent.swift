import FoundationEssentials

/// One line of a topic's event stream.
public enum NtfyEvent: Sendable, Hashable {
  /// The stream stands: what is published from now on will come. With the server's clock, Unix seconds.
  case open(at: Int64?)
  /// Nothing happened, and the stream still stands. With the server's clock, Unix seconds.
  case keepalive(at: Int64?)
  case message(Message)
  /// Something else, `poll_request` or newer than this.
  case other

  /// A published message.
  public struct Message: Sendable, Hashable {
    /// ntfy's own id; a copy that the server kept has the same.
    public var id: String
    /// When ntfy took it, Unix seconds: too coarse for latency.
    public var time: Int64
    /// What was published.
    public var text: String
    /// What our own messages carry; `nil` when somebody else published it.
    public var ticket: PayloadMember.Ticket?

    public init(id: String, time: Int64, text: String, ticket: PayloadMember.Ticket? = nil) {
      self.id = id
      self.time = time
      self.text = text
      self.ticket = ticket
    }
  }

  private struct Line: Decodable {
    var id: String?
    var time: Int64?
    var event: String
    var message: String?
  }

  /// Reads a line without its line end; `nil` for anything that is no event.
  public static func parse(_ line: [UInt8]) -> NtfyEvent? {
    guard line.count <= NtfyDialect.maximumLineBytes, ReasonBody.isJSONObject(line),
      let event = try? JSONDecoder().decode(Line.self, from: Data(line))
    else { return nil }
    switch event.event {
    case "open": return .open(at: event.time)
    case "keepalive": return .keepalive(at: event.time)
    case "message":
      // Ids are remembered, and so bounded in length.
      guard let id = event.id, NtfyDialect.isTopic(id) else { return nil }
      let text = event.message ?? ""
      return .message(
        Message(
          id: id, time: event.time ?? 0, text: text, ticket: PayloadMember.ticket(in: Array(text.utf8))))
    default: return .other
    }
  }
}
