import FoundationEssentials
import Measurement

/// Request for a topic's event stream, one JSON object per line.
public struct NtfySubscription: Sendable, Hashable {
  /// Start of the stream.
  public enum Since: Sendable, Hashable {
    /// New messages only.
    case now
    /// Also stored messages that the server received at or after this Unix second of its clock.
    ///
    /// A message id is not suitable: for an id that is not stored, the server returns all messages.
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
    try NtfyProvider.check(topic: topic)
    url = "\(origin)/\(topic)/json"
    headers = authorization.headers
  }

  /// The request, whose response does not end.
  public func request(since: Since = .now) -> PushRequest {
    let query = since.value.map { "?since=\($0)" } ?? ""
    return PushRequest(method: "GET", url: url + query, headers: headers)
  }
}

/// One event of the stream.
public enum NtfyEvent: Sendable, Hashable {
  /// The subscription is active. `at`: the server's clock, Unix seconds.
  case open(at: Int64?)
  /// Keepalive. `at`: the server's clock, Unix seconds.
  case keepalive(at: Int64?)
  case message(Message)
  /// Another event, like `poll_request`.
  case other

  /// A published message.
  public struct Message: Sendable, Hashable {
    /// ntfy's id; the same for a stored copy.
    public var id: String
    /// Time of publication, Unix seconds: too coarse for latency.
    public var time: Int64
    /// The message.
    public var text: String
    /// Content of pushscope's messages; `nil` for others.
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

  /// Parses a line without its line end; `nil` for anything but an event.
  public static func parse(_ line: [UInt8]) -> NtfyEvent? {
    guard line.count <= NtfyDialect.maximumLineBytes, ReasonBody.isJSONObject(line),
      let event = try? JSONDecoder().decode(Line.self, from: Data(line))
    else { return nil }
    switch event.event {
    case "open": return .open(at: event.time)
    case "keepalive": return .keepalive(at: event.time)
    case "message":
      // Ids are stored, so their length is limited.
      guard let id = event.id, NtfyDialect.isTopic(id) else { return nil }
      let text = event.message ?? ""
      return .message(
        Message(
          id: id, time: event.time ?? 0, text: text, ticket: PayloadMember.ticket(in: Array(text.utf8))))
    default: return .other
    }
  }
}

/// Splits a byte stream into lines of limited length.
public struct LineSplitter: Sendable {
  private var rest: [UInt8] = []
  private var isSkipping = false
  private let maximumBytes: Int
  /// Count of lines that were skipped because they were too long.
  public private(set) var skipped = 0

  public init(maximumBytes: Int = NtfyDialect.maximumLineBytes) { self.maximumBytes = maximumBytes }

  /// Appends bytes and returns the completed lines, without line ends (LF or CR LF) and empty lines.
  public mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var piece = bytes[...]
    while let end = piece.firstIndex(of: 0x0A) {
      extend(with: piece[..<end])
      if isSkipping {
        isSkipping = false
      } else {
        if rest.last == 0x0D { rest.removeLast() }
        if !rest.isEmpty { lines.append(rest) }
      }
      rest.removeAll(keepingCapacity: true)
      piece = piece[piece.index(after: end)...]
    }
    extend(with: piece)
    return lines
  }

  private mutating func extend(with bytes: some Collection<UInt8>) {
    guard !isSkipping else { return }
    guard rest.count + bytes.count <= maximumBytes else {
      isSkipping = true
      skipped += 1
      rest.removeAll()
      return
    }
    rest += bytes
  }
}
