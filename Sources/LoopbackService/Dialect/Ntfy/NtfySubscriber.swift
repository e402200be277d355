import HTTPServer
import NIOCore
import NIOHTTP2

/// Somebody who listens to topics: an answer that goes on.
final class NtfySubscriber {
  /// From where on it wants to hear what was kept.
  enum Since: Sendable, Equatable {
    case nothing
    case everything
    case latest
    /// Unix seconds.
    case time(Int64)
    case message(id: String)
  }

  /// What was asked for.
  struct Request: Sendable {
    var topics: [String]
    var since: Since
    /// Only what was kept, and no stream.
    var isPoll: Bool
  }

  let topics: Set<String>
  private let exchange: HTTPExchange
  var timers: [RepeatedTask] = []
  var deadlines: [Scheduled<Void>] = []
  /// Nothing goes to it any more, though its stream stands.
  var isMute = false

  init(topics: [String], exchange: HTTPExchange) {
    self.topics = Set(topics)
    self.exchange = exchange
  }

  func send(_ line: String) {
    guard !isMute else { return }
    exchange.send(ByteBuffer(string: line + "\n"))
  }

  /// Ends it as a proxy would that has lost patience.
  func cut() { exchange.reset(.cancel) }

  func stopTimers() {
    for timer in timers { timer.cancel() }
    for deadline in deadlines { deadline.cancel() }
    timers = []
    deadlines = []
  }
}
