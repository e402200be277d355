import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The requests of one HTTP/2 connection until they are answered: assembled from frames, then in order of arrival for the
/// responder, then unanswered.
struct HTTP2Requests {
  /// A request that is no longer kept.
  struct Removed {
    /// Memory that it had reserved.
    let cost: Int
    /// A response to HEAD has no body (RFC 9110, section 9.3.2).
    let isHead: Bool
    let isComplete: Bool
  }

  private struct Arriving {
    var method = ""
    var path = ""
    var headers = HPACKHeaders()
    var body = ByteBuffer()
    var cost = 0
    let since: NIODeadline
  }

  private struct Unanswered {
    let cost: Int
    let isHead: Bool
  }

  private var arriving: [HTTP2StreamID: Arriving] = [:]
  /// Complete requests.
  private var unanswered: [HTTP2StreamID: Unanswered] = [:]
  /// Complete requests that the responder has not been shown, because the peer does not read its responses: a subset of
  /// ``unanswered``, in order of arrival.
  private var waiting: CircularBuffer<(stream: HTTP2StreamID, request: HTTPRequest)> = []

  var isEmpty: Bool { arriving.isEmpty && unanswered.isEmpty }
  var isWaiting: Bool { !waiting.isEmpty }
  func isArriving(_ stream: HTTP2StreamID) -> Bool { arriving[stream] != nil }
  func path(of stream: HTTP2StreamID) -> String? { arriving[stream]?.path }
  func bodyLength(of stream: HTTP2StreamID) -> Int { arriving[stream]?.body.readableBytes ?? 0 }

  /// Whether an unanswered request is a HEAD request; `nil` when there is none.
  func isUnansweredHead(_ stream: HTTP2StreamID) -> Bool? { unanswered[stream]?.isHead }

  /// The streams of incomplete requests that began before an instant.
  func unfinished(since instant: NIODeadline) -> [HTTP2StreamID] {
    arriving.compactMap { $1.since < instant ? $0 : nil }
  }

  // MARK: Frames

  /// A request begins to arrive.
  /// - Parameter cost: the memory that is reserved for it.
  /// - Returns: its content-length, as it is.
  mutating func begin(
    _ stream: HTTP2StreamID, _ fields: HPACKHeaders, cost: Int, at now: NIODeadline
  ) -> String? {
    var request = Arriving(cost: cost, since: now)
    request.headers.reserveCapacity(fields.count)
    var length: String?
    for (name, value, _) in fields {
      if name.utf8.first == UInt8(ascii: ":") {
        if name == ":method" { request.method = value }
        if name == ":path" { request.path = value }
        // It is the Host of HTTP/2 (RFC 9113, section 8.3.1).
        if name == ":authority", !fields.contains(name: "host") {
          request.headers.add(name: "host", value: value)
        }
      } else {
        if name == "content-length" { length = value }
        request.headers.add(name: name, value: value)
      }
    }
    arriving[stream] = request
    return length
  }

  /// Appends to the body of a request that is arriving; the memory is reserved.
  mutating func append(_ bytes: ByteBuffer, to stream: HTTP2StreamID, isLast: Bool) {
    guard let index = arriving.index(forKey: stream) else { return }
    arriving.values[index].cost += bytes.readableBytes
    if isLast, arriving.values[index].body.readableBytes == 0 {
      // The common case, the whole body in one frame, needs no copy.
      arriving.values[index].body = bytes
    } else {
      arriving.values[index].body.writeImmutableBuffer(bytes)
    }
  }

  /// Puts a request whose frames have all arrived at the end of those for the responder.
  mutating func complete(_ stream: HTTP2StreamID, at arrival: MonotonicTime) {
    guard let arrived = arriving.removeValue(forKey: stream) else { return }
    unanswered[stream] = Unanswered(cost: arrived.cost, isHead: arrived.method == "HEAD")
    let request = HTTPRequest(
      method: arrived.method, path: arrived.path, headers: arrived.headers, body: arrived.body,
      version: .http2, arrivedAt: arrival)
    waiting.append((stream, request))
  }

  /// The request that the responder is to be shown next.
  mutating func next() -> (stream: HTTP2StreamID, request: HTTPRequest)? { waiting.popFirst() }

  // MARK: Ends

  /// Removes a request that is answered; it may still be arriving.
  mutating func remove(_ stream: HTTP2StreamID) -> Removed? {
    if let request = arriving.removeValue(forKey: stream) {
      return Removed(cost: request.cost, isHead: request.method == "HEAD", isComplete: false)
    }
    return removeUnanswered(stream)
  }

  /// Removes a request whose stream was closed, so that the responder is not shown it any more.
  mutating func drop(_ stream: HTTP2StreamID) -> Removed? {
    let removed = remove(stream)
    if removed?.isComplete == true, !waiting.isEmpty { waiting.removeAll { $0.stream == stream } }
    return removed
  }

  /// Removes a request that the responder was shown.
  mutating func removeUnanswered(_ stream: HTTP2StreamID) -> Removed? {
    unanswered.removeValue(forKey: stream).map {
      Removed(cost: $0.cost, isHead: $0.isHead, isComplete: true)
    }
  }
}
