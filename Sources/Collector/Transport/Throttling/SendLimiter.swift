import DequeModule
import Measurement

/// Counts what is sent against one ``SendLimit``, as a value that a clock steps.
struct SendLimiter: Sendable {
  let limit: SendLimit
  /// A window's sends that still count, ascending.
  private var sent = Deque<MonotonicTime>()
  /// How far a bucket has come ahead of its steady rate (GCRA's theoretical arrival time).
  private var ahead: MonotonicTime?

  init(_ limit: SendLimit) { self.limit = limit }

  func permits(at now: MonotonicTime) -> Bool {
    switch limit.shape {
    case .window(let count, let period):
      return sent.count < count || now - sent[sent.count - max(1, count)] >= period
    case .bucket(let capacity, let interval):
      guard let ahead else { return true }
      return ahead - now <= interval * (max(1, capacity) - 1)
    }
  }

  mutating func noteSent(at now: MonotonicTime) {
    switch limit.shape {
    case .window(_, let period):
      while let first = sent.first, now - first >= period { sent.removeFirst() }
      sent.append(now)
    case .bucket(_, let interval): ahead = max(ahead ?? now, now) + interval
    }
  }

  /// The last one was not sent after all.
  mutating func takeBack() {
    switch limit.shape {
    case .window: _ = sent.popLast()
    case .bucket(_, let interval): ahead = ahead.map { $0 - interval }
    }
  }
}
