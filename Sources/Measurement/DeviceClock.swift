/// The clock of one device in one boot: converts its stamps to instants of our clock, each with a bound that contains
/// the true one.
///
/// **The bound.** Each exchange says what the device's clock showed at least at one of our instants and at most at
/// another (``ClockExchange``). Between the exchange and a stamp the clock may run fast or slow by at most
/// ``maximumDrift``, so what the exchange says of the stamp widens by that much of the time between them, before and
/// after alike. Each exchange thus gives an interval that contains the true instant; the bound is their intersection.
/// For a stamp in the middle of a single exchange it is ±(round trip − server time) / 2. Nothing is assumed about the
/// asymmetry of the delays.
///
/// **The estimate.** Within the bound, a line through the middles of the exchanges with the smallest round trips gives
/// offset and drift; with too few of them to tell the drift, the exchange that bounds best gives the offset. It is
/// clamped to the bound.
///
/// **Coarse clocks.** A browser's clock goes in steps, with jitter, and does not say how large they are. Exchanges that
/// contradict each other by no more than ``coarsest`` show it: each stamp of the device may be off by as much, at least by
/// ``coarseStep``. Every bound is wider by twice that from then on, for the stamp that is read and for those of exchanges.
///
/// **Assumption**: the clock is not set between an exchange and a stamp. Exchanges that cannot be of one clock, coarse or not,
/// show that it was set: earlier ones are dropped, and stamps from before the first later one get no reading. The same is done
/// where a clock is found coarse, since it may have been set by as little.
public struct DeviceClock: Sendable, Hashable {
  /// The largest drift between the device's clock and ours, parts per million.
  public static let maximumDrift: Int64 = 500
  /// How many exchanges are kept. Of the two nearest in time the worse one is dropped first, so that those kept span
  /// ``reach``.
  public static let capacity = 64
  public static let reach = Duration.seconds(3600)

  /// The least error of a clock that is found coarse, nanoseconds: browsers show whole milliseconds, with jitter.
  public static let coarseStep: Int64 = 1_000_000
  /// Larger contradictions of exchanges are of a clock that was set, nanoseconds. Browsers that resist fingerprinting go in
  /// steps of 16.7 ms, either way.
  static let coarsest: Int64 = 40_000_000

  /// Readings wider than this, 11 days, are dropped.
  static let uselessWidth: Int128 = 1_000_000_000_000_000

  static let drift = DriftLimit(partsPerMillion: maximumDrift)

  /// The result of ``add(_:)``.
  public enum Outcome: Sendable, Hashable {
    case taken
    /// It is a duplicate.
    case repeated
    /// It contradicts later ones: it is from before the clock was set.
    case outdated
    /// It contradicts earlier ones: the clock was set, by about this many nanoseconds.
    case stepped(by: Int64)
    /// It contradicts others by so many nanoseconds: the clock is coarse, and its bounds are wider now.
    case coarse(by: Int64)
  }

  /// Ascending by ``ClockExchange/t2``.
  public private(set) var exchanges: [ClockExchange] = []
  private var line: DriftLine?
  /// Earlier stamps may be from before the clock was set.
  private var validFrom: Int64?
  /// The error that a stamp of the device may have, nanoseconds; 0 until its exchanges contradict each other.
  public private(set) var coarseness: Int64 = 0

  /// - Parameter coarseness: what is known of it from before.
  public init(coarseness: Int64 = 0) { self.coarseness = coarseness }

  /// The estimated drift, in parts per million, positive if the device's clock is fast; `nil` while there are too few
  /// exchanges to estimate it.
  public var driftPartsPerMillion: Double? { line.map { $0.slope * 1e6 } }

  // MARK: Exchanges

  public mutating func add(_ exchange: ClockExchange) -> Outcome {
    if exchanges.contains(exchange) { return .repeated }
    let tolerance = 2 * coarseness
    let contradictions = exchanges.map { $0.contradiction(of: exchange, drift: Self.drift) }
    let contradicted = zip(exchanges, contradictions).filter { $0.1 > tolerance }.map(\.0)
    let worst = contradictions.max() ?? 0
    let isCoarse = worst > tolerance && worst <= Self.coarsest
    if isCoarse { coarseness = max(Self.coarseStep, worst) }
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
    if isCoarse { return .coarse(by: worst) }
    guard let step else { return .taken }
    let middle = exchange.middle
    return .stepped(by: Self.clamped(Int128(middle.device) - Int128(middle.ours) - step))
  }

  private mutating func forget() {
    guard let newest = exchanges.last else { return }
    exchanges.removeAll { newest.t2 - $0.t2 > Self.reach }
    guard exchanges.count > Self.capacity else { return }
    // Keep the newest one, so that the window advances.
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
  /// - Returns: `nil` when no exchange bounds it.
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
    earliest -= Int128(2 * coarseness)
    latest += Int128(2 * coarseness)
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
    let best = exchanges.min { Self.width($0, at: stamp) < Self.width($1, at: stamp) }
    return best.map { Int128($0.middle.device) - Int128($0.middle.ours) }
  }

  /// The width of the bound that one exchange gives for a stamp.
  private static func width(_ exchange: ClockExchange, at stamp: Int64) -> Int128 {
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

/// The largest difference of two clocks' rates, on which every bound on a device's clock rests.
///
/// While a device's clock D runs at a rate from 1 − ρ to 1 + ρ of our monotonic time s, D(s) − D(s₀) lies between (1 −
/// ρ)(s − s₀) and (1 + ρ)(s − s₀). The quartz of phones and computers is accurate to 100 ppm, and NTP slews a clock by
/// 500 ppm at most (RFC 5905, section 11.3), so ρ = 500 ppm holds for a clock that nobody sets.
///
/// Whole nanoseconds; results are rounded outwards.
struct DriftLimit: Sendable, Hashable {
  /// ρ in millionths, from 0 to 999 999.
  let partsPerMillion: Int64

  init(partsPerMillion: Int64) {
    self.partsPerMillion = min(max(0, partsPerMillion), 999_999)
  }

  private static let million: Int128 = 1_000_000

  /// The longest that `elapsed` on the device's clock can be on ours; for a negative one, the least negative.
  func longest(_ elapsed: Int128) -> Int128 {
    let slow = elapsed >= 0 ? Self.million - Int128(partsPerMillion) : Self.million + Int128(partsPerMillion)
    return Self.ceiling(elapsed * Self.million, slow)
  }

  /// The shortest that `elapsed` on the device's clock can be on ours; for a negative one, the most negative.
  func shortest(_ elapsed: Int128) -> Int128 { -longest(-elapsed) }

  /// The most that the device's clock can advance while ours advances by `elapsed`, which is not negative.
  func mostAdvance(_ elapsed: Int128) -> Int128 {
    Self.ceiling(elapsed * (Self.million + Int128(partsPerMillion)), Self.million)
  }

  /// The least that it advances in that time.
  func leastAdvance(_ elapsed: Int128) -> Int128 {
    elapsed * (Self.million - Int128(partsPerMillion)) / Self.million
  }

  /// a / b towards +∞, for positive b.
  private static func ceiling(_ a: Int128, _ b: Int128) -> Int128 {
    let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
    return remainder > 0 ? quotient + 1 : quotient
  }
}

/// A least-squares line through the offsets of the exchanges with the shortest round trips: the device's clock minus
/// ours as a function of time.
struct DriftLine: Sendable, Hashable {
  /// Nanoseconds per nanosecond, within ±``DeviceClock/maximumDrift``.
  let slope: Double
  /// The stamp at which ``offset`` holds.
  private let origin: Int64
  private let offset: Int128

  /// - Returns: `nil` when the exchanges cannot bound the drift better than its limit does: fewer than three short ones, or
  ///   too close together for their round trips.
  init?(through exchanges: [ClockExchange]) {
    guard let least = exchanges.map(\.roundTrip).min() else { return nil }
    // The tolerance keeps the noise of the clocks on a loopback from leaving just one.
    let chosen = exchanges.filter { $0.roundTrip / 2 - 10_000 <= least }
    let limit = Double(DeviceClock.maximumDrift) * 1e-6
    guard chosen.count >= 3, let first = chosen.first?.middle, let last = chosen.last?.middle,
      last.device > first.device, Double(least) < Double(last.device - first.device) * limit
    else { return nil }
    // Relative to the first: small enough for a Double to hold each nanosecond.
    let base = Int128(first.device) - Int128(first.ours)
    var points: [(time: Double, offset: Double)] = []
    for exchange in chosen {
      let middle = exchange.middle
      points.append(
        (
          time: Double(middle.device - first.device),
          offset: Double(Int128(middle.device) - Int128(middle.ours) - base)
        ))
    }
    let count = Double(points.count)
    let meanTime = points.reduce(0) { $0 + $1.time } / count
    let meanOffset = points.reduce(0) { $0 + $1.offset } / count
    var squares = 0.0
    var products = 0.0
    for point in points {
      squares += (point.time - meanTime) * (point.time - meanTime)
      products += (point.time - meanTime) * (point.offset - meanOffset)
    }
    guard squares > 0 else { return nil }
    slope = min(limit, max(-limit, products / squares))
    guard let time = Int64(exactly: meanTime.rounded()), let shift = Int128(exactly: meanOffset.rounded())
    else { return nil }
    origin = first.device + time
    offset = base + shift
  }

  /// The device's clock minus ours when it shows `stamp`, in nanoseconds.
  func offset(at stamp: Int64) -> Int128 {
    let change = Double(Int128(stamp) - Int128(origin)) * slope
    return offset + (Int128(exactly: change.rounded()) ?? 0)
  }
}
