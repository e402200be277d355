import Measurement

/// What a peer may cost us: sizes of one response, and numbers of frames that carry no response.
///
/// A rate is a token bucket: `burst` frames or bytes at once, refilled by `perSecond` up to `burst`, and by `perRequest` for
/// each request that was written (what 1 000 requests earn at the most), since an honest peer answers requests with
/// WINDOW_UPDATE and RST_STREAM.
struct HTTP2Limits: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable, CaseIterable {
    case headerBytes = "header bytes"
    case headerFields = "header fields"
    case bodyBytes = "body bytes"
    case continuations = "CONTINUATION frames"
    case settings = "SETTINGS frames"
    case pings = "PING frames"
    case resets = "RST_STREAM frames"
    case windowUpdates = "WINDOW_UPDATE frames"
    /// PRIORITY, GOAWAY and DATA without bytes. Frames of unknown types are skipped as they come and cost nothing.
    case others = "frames without a use"
    case overBytes = "bytes on streams that are over"
  }

  struct Rate: Sendable, Hashable {
    var burst: Double
    var perSecond: Double
    var perRequest: Double = 0
  }

  /// Names and values of one response with its interim responses and trailers.
  var headerBytes = 64 * 1024
  var headerFields = 1000
  var bodyBytes = 64 * 1024
  /// CONTINUATION frames of one header block: `headerBytes` fit into four. libnghttp2 itself takes 8.
  var continuations = 7
  var settings = Rate(burst: 20, perSecond: 1)
  var pings = Rate(burst: 100, perSecond: 10)
  var resets = Rate(burst: 1000, perSecond: 10, perRequest: 1)
  var windowUpdates = Rate(burst: 1000, perSecond: 100, perRequest: 8)
  var others = Rate(burst: 1000, perSecond: 100, perRequest: 2)
  /// Bytes of HEADERS, CONTINUATION and DATA of streams that are over, such as one that was reset because its headers had no end.
  /// They may be as many as were under way when the peer heard of it (100 Mbit/s for 0.3 s), and late answers to requests that
  /// timed out.
  var overBytes = Rate(burst: 4_194_304, perSecond: 1_048_576)
}

/// What is left of one ``HTTP2Limits/Rate``.
struct HTTP2FrameBucket: Sendable {
  private let rate: HTTP2Limits.Rate
  private var level: Double
  private var refilled: MonotonicTime

  init(_ rate: HTTP2Limits.Rate, at now: MonotonicTime) {
    self.rate = rate
    level = rate.burst
    refilled = now
  }

  mutating func requestWritten() {
    level = min(level + rate.perRequest, rate.burst + rate.perRequest * 1000)
  }

  /// - Parameter count: of frames or bytes.
  /// - Returns: whether so many more are within the rate.
  mutating func spend(_ count: Double = 1, at now: MonotonicTime) -> Bool {
    let elapsed = Double((now - refilled).nanoseconds) / 1e9
    if elapsed > 0 {
      refilled = now
      level = max(level, min(rate.burst, level + elapsed * rate.perSecond))
    }
    guard level >= count else { return false }
    level -= count
    return true
  }
}

/// What is left of the rates of ``HTTP2Limits``.
struct HTTP2FrameBudgets: Sendable {
  private var settings: HTTP2FrameBucket
  private var pings: HTTP2FrameBucket
  private var resets: HTTP2FrameBucket
  private var windowUpdates: HTTP2FrameBucket
  private var others: HTTP2FrameBucket
  private var overBytes: HTTP2FrameBucket

  init(_ limits: HTTP2Limits, at now: MonotonicTime) {
    settings = HTTP2FrameBucket(limits.settings, at: now)
    pings = HTTP2FrameBucket(limits.pings, at: now)
    resets = HTTP2FrameBucket(limits.resets, at: now)
    windowUpdates = HTTP2FrameBucket(limits.windowUpdates, at: now)
    others = HTTP2FrameBucket(limits.others, at: now)
    overBytes = HTTP2FrameBucket(limits.overBytes, at: now)
  }

  /// Frames that a request earns the peer.
  mutating func recordRequestWritten() {
    resets.requestWritten()
    windowUpdates.requestWritten()
    others.requestWritten()
  }

  /// A frame of a kind that has a rate.
  /// - Returns: the kind of which the peer sent too many.
  mutating func spend(_ kind: HTTP2Limits.Kind, at now: MonotonicTime) -> HTTP2Limits.Kind? {
    let isWithin =
      switch kind {
      case .settings: settings.spend(at: now)
      case .pings: pings.spend(at: now)
      case .resets: resets.spend(at: now)
      case .windowUpdates: windowUpdates.spend(at: now)
      default: others.spend(at: now)
      }
    return isWithin ? nil : kind
  }

  /// A frame of a stream that is over: the peer sent it before it knew. Its header fields still count for HPACK, so it cannot be
  /// left unread.
  /// - Parameter length: of its payload.
  mutating func spendLate(_ length: Int, at now: MonotonicTime) -> HTTP2Limits.Kind? {
    overBytes.spend(Double(9 + length), at: now) ? nil : .overBytes
  }
}
