import Measurement
import Store

/// The notifications that a chart names one by one: all of them while they are few, else the slowest.
struct NotificationDots: Sendable {
  struct Dot: Sendable, Hashable {
    let plannedAt: WallTime
    let sequence: Int64
    let state: NotificationState
    /// µs; `nil` where there is none.
    let latency: Int64?
  }

  /// The dots in the order of reading, or those of the slowest notifications.
  private(set) var dots: [Dot] = []
  /// Whether these are all.
  private(set) var isComplete = true

  /// The largest number of notifications that are all shown; of more, only the slowest are.
  static let most = 1_200
  static let slowest = 60

  mutating func add(_ row: borrowing SampleRow, _ metric: Metric) {
    guard row.state != .planned, row.state != .inFlight else { return }
    let dot = Dot(
      plannedAt: row.plannedAt, sequence: Int64(row.id.sequence), state: row.state,
      latency: row.value(of: metric))
    if isComplete, dots.count == Self.most { leaveSlowest() }
    guard !isComplete else {
      dots.append(dot)
      return
    }
    guard let latency = dot.latency else { return }
    if dots.count == Self.slowest {
      guard latency > (dots[Self.slowest - 1].latency ?? 0) else { return }
      dots.removeLast()
    }
    let place = dots.firstIndex { ($0.latency ?? 0) < latency } ?? dots.count
    dots.insert(dot, at: place)
  }

  /// Notifications that were counted without being read one by one.
  mutating func addUnnamed() { if isComplete { leaveSlowest() } }

  private mutating func leaveSlowest() {
    isComplete = false
    dots = Array(
      dots.filter { $0.latency != nil }.sorted { ($0.latency ?? 0) > ($1.latency ?? 0) }.prefix(Self.slowest))
  }
}
