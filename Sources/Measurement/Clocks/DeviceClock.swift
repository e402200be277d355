/// What is known of the clock of one device in one boot: turns its stamps into instants of ours, each with a bound that
/// contains the truth.
///
/// **The bound.** Each exchange says what the device's clock showed at least at one of our instants and at most at
/// another (``ClockExchange``). Between the exchange and a stamp the clock may run fast or slow by at most
/// ``maximumDrift``, so what the exchange says of the stamp widens by that much of the time between them, before and
/// after alike. Each exchange so gives an interval that contains the true instant, and so does what they have in common:
/// that is the bound. For a stamp in the midst of a lone exchange it is ±(round trip − server time) / 2. The delays'
/// asymmetry needs no assumption.
///
/// **The estimate.** Within the bound, a line through the middles of the exchanges with the smallest round trips
/// gives offset and drift; with too few of them to tell the drift, the exchange that bounds best gives the offset. It is
/// never allowed outside the bound, so a fit can sharpen the figure and cannot spoil it.
///
/// **What is assumed**: the clock is not set between an exchange and a stamp. Exchanges that cannot belong to one clock
/// show that it was set: what came before is forgotten, and stamps from before the first exchange after it get no
/// reading.
public struct DeviceClock: Sendable, Hashable {
  /// By how many parts per million the device's clock and ours may drift apart.
  public static let maximumDrift: Int64 = 500
  /// Exchanges that are kept. Of two that are near each other in time the worse one goes first, so that they reach as
  /// far back as ``reach``.
  public static let capacity = 64
  public static let reach = Duration.seconds(3600)

  /// A reading as wide as this, 11 days, tells nothing.
  static let uselessWidth: Int128 = 1_000_000_000_000_000

  static let drift = DriftLimit(partsPerMillion: maximumDrift)

  /// What became of an exchange.
  public enum Outcome: Sendable, Hashable {
    case taken
    /// It is here already.
    case repeated
    /// It contradicts later ones: it tells of the clock as it was before it was set.
    case outdated
    /// It contradicts earlier ones: the clock was set, by about so many nanoseconds.
    case stepped(by: Int64)
  }

  /// Ascending by ``ClockExchange/t2``.
  public private(set) var exchanges: [ClockExchange] = []
  private var line: DriftLine?
  /// Stamps before this one may be from before the clock was set.
  private var validFrom: Int64?

  public init() {}

  /// The drift that the exchanges show, in parts per million: positive when the device's clock is fast. `nil` while
  /// they cannot tell it.
  public var driftPartsPerMillion: Double? { line.map { $0.slope * 1e6 } }

  // MARK: Exchanges

  public mutating func take(_ exchange: ClockExchange) -> Outcome {
    if exchanges.contains(exchange) { return .repeated }
    let contradicted = exchanges.filter { !$0.agrees(with: exchange, drift: Self.drift) }
    guard contradicted.allSatisfy({ $0.t2 < exchange.t2 }) else { return .outdated }
    let step = contradicted.isEmpty ? nil : estimatedOffset(at: exchange.t1)
    if !contradicted.isEmpty {
      exchanges = []
      validFrom = exchange.t1
    }
    let place = exchanges.firstIndex { $0.t2 > exchange.t2 } ?? exchanges.endIndex
    exchanges.insert(exchange, at: place)
    forget()
    line = DriftLine(through: exchanges)
    guard let step else { return .taken }
    let middle = exchange.middle
    return .stepped(by: Self.clamped(Int128(middle.device) - Int128(middle.ours) - step))
  }

  private mutating func forget() {
    guard let newest = exchanges.last else { return }
    exchanges.removeAll { newest.t2 - $0.t2 > Self.reach }
    guard exchanges.count > Self.capacity else { return }
    // The newest one stays, so that the window moves on.
    let pairs = exchanges.indices.dropLast(2).map { ($0, exchanges[$0 + 1].t2 - exchanges[$0].t2) }
    guard let nearest = pairs.min(by: { $0.1 < $1.1 })?.0 else { return }
    let isFirstWorse = exchanges[nearest].roundTrip >= exchanges[nearest + 1].roundTrip
    exchanges.remove(at: isFirstWorse ? nearest : nearest + 1)
  }

  // MARK: Stamps

  /// Reads a stamp of the device.
  ///
  /// - Parameters:
  ///   - stamp: nanoseconds since 1970 on the device's clock.
  ///   - resolution: the device's clock showed `stamp` or up to so many nanoseconds more.
  /// - Returns: `nil` when no exchange tells of it.
  public func reading(of stamp: Int64, resolution: Int64 = 0) -> ClockReading? {
    guard !exchanges.isEmpty, stamp >= 0, resolution >= 0, validFrom.map({ stamp >= $0 }) ?? true else {
      return nil
    }
    let end = Int128(stamp) + Int128(resolution)
    var earliest = Int128.min
    var latest = Int128.max
    for exchange in exchanges {
      earliest = max(
        earliest, Int128(exchange.t3.nanoseconds) + Self.drift.shortest(Int128(stamp) - Int128(exchange.t4)))
      latest = min(
        latest, Int128(exchange.t2.nanoseconds) + Self.drift.longest(end - Int128(exchange.t1)))
    }
    let middle = Int128(stamp) + Int128(resolution) / 2
    guard earliest <= latest, latest - earliest <= Self.uselessWidth,
      let offset = estimatedOffset(at: Self.clamped(middle))
    else { return nil }
    let guess = min(max(middle - offset, earliest), latest)
    guard let instant = Int64(exactly: guess), let low = Int64(exactly: earliest),
      let high = Int64(exactly: latest)
    else { return nil }
    return ClockReading(
      instant: MonotonicTime(nanoseconds: instant), earliest: MonotonicTime(nanoseconds: low),
      latest: MonotonicTime(nanoseconds: high))
  }

  /// The device's clock minus our monotonic one when the device's showed `stamp`, in nanoseconds.
  private func estimatedOffset(at stamp: Int64) -> Int128? {
    if let line { return line.offset(at: stamp) }
    let best = exchanges.min { Self.room($0, at: stamp) < Self.room($1, at: stamp) }
    return best.map { Int128($0.middle.device) - Int128($0.middle.ours) }
  }

  /// How wide the bound is that one exchange gives for a stamp.
  private static func room(_ exchange: ClockExchange, at stamp: Int64) -> Int128 {
    let distance = Int128(stamp) - Int128(exchange.middle.device)
    return Int128(exchange.roundTrip) + distance.magnitude.asSigned * 2 * Int128(maximumDrift) / 1_000_000
  }

  private static func clamped(_ value: Int128) -> Int64 {
    Int64(clamping: value)
  }
}

extension UInt128 {
  fileprivate var asSigned: Int128 { Int128(clamping: self) }
}
