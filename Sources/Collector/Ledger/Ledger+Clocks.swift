import Measurement

/// What devices' clocks said.
extension Ledger {
  /// Takes up what an earlier run of this boot knew of devices' clocks: the bound that an exchange gives widens with the
  /// time since, by what the clocks can drift apart, and stays true.
  mutating func resume(_ known: [DeviceExchange]) {
    for exchange in known { _ = clocks.take(exchange, at: exchange.exchange.t3) }
  }

  /// Takes the exchanges that came with receipts whose MAC was right; to be called before these are booked.
  /// - Parameter now: when they reached us.
  /// - Returns: what is to be kept of them.
  mutating func apply(_ arrived: [DeviceExchange], at now: MonotonicTime) -> [DeviceExchange] {
    var taken: [DeviceExchange] = []
    for exchange in arrived where take(exchange, at: now) { taken.append(exchange) }
    // After all of them, so that what is said of a clock is the best that is known.
    for exchange in taken.reversed() { announce(exchange, at: now) }
    return taken
  }

  /// - Returns: whether it told something new.
  private mutating func take(_ arrived: DeviceExchange, at now: MonotonicTime) -> Bool {
    switch clocks.take(arrived, at: now) {
    case .repeated, .outdated: return false
    case .taken: return true
    case .stepped(let nanoseconds):
      emit(
        .clockStep, at: now,
        detail: "the clock of \(arrived.device) was set, by about \(nanoseconds / 1000) µs")
      return true
    }
  }

  /// This host slept and woke by now.
  mutating func noteSleep(until now: MonotonicTime) { clocks.hostSlept(until: now) }

  /// Keeps exchanges for the record.
  mutating func note(_ taken: [DeviceExchange]) { exchanges += taken }

  private mutating func announce(_ arrived: DeviceExchange, at now: MonotonicTime) {
    guard let news = clocks.announcement(after: arrived, at: now) else { return }
    let offset = news.stamp / 1000 - anchor.wall(at: news.reading.instant).microseconds
    let drift = news.drift.map { ", drift \(Int($0.rounded())) ppm" } ?? ""
    emit(
      .clockOffset, at: now,
      detail: "the clock of \(arrived.device) is \(abs(offset)) µs \(offset < 0 ? "behind" : "ahead"), "
        + "within \(news.reading.error.microseconds) µs\(drift)"
        + " (\(CountText.text(news.exchanges, "exchange")))")
  }
}
