import Findings
import Glibc
import Measurement

/// Six targets (three providers, four devices) of which something goes wrong after two hours, with its cause known.
public enum CauseScenario: String, CaseIterable, Sendable {
  case hostStall, uplink, path, providerProcessing, queueBehindProvider, providerDelivery, providerLoss
  case deviceSlow, deviceAsleep, connecting, throttling, singleDevice, nothing
  // What rules were added for since.
  case uplinkFailures, oneProviderFails, credentials, providerErrors, receipts, deviceLoss, heldBack
  /// A device shows only a part, shows them late, or shows none any more.
  case stopsShowing, showsLate, losesPermission

  /// The first thirteen: those of the document's table.
  public static let scripted = Array(allCases.prefix(13))

  public struct Case: Sendable {
    public var episode: Episode
    public var provider: String
    public var device: String
  }

  /// Whether verdicts are right: the cause and the place; `nil` for undecided.
  public func isRight(_ verdicts: [Verdict], _ instance: Case) -> Bool? {
    guard let verdict = verdicts.first else { return self == .nothing ? true : nil }
    let expected: (Cause, String?)? =
      switch self {
      case .hostStall, .heldBack: (.host, nil)
      case .uplink, .uplinkFailures: (.uplink, nil)
      case .path: (.path, instance.provider)
      case .providerProcessing, .queueBehindProvider: (.providerProcessing, instance.provider)
      case .providerDelivery: (.providerDelivery, instance.provider)
      case .providerLoss: (.providerLoss, instance.provider)
      case .deviceSlow, .deviceLoss: (.device, instance.device)
      case .deviceAsleep: (.deviceAsleep, instance.device)
      case .connecting: (.connecting, instance.provider)
      case .throttling: (.throttled, instance.provider)
      case .credentials: (.credentials, instance.provider)
      case .providerErrors: (.providerErrors, instance.provider)
      case .receipts: (.receipts, nil)
      case .stopsShowing, .showsLate, .losesPermission: (.display, instance.device)
      case .singleDevice, .oneProviderFails, .nothing: nil
      }
    guard let expected else {
      if self == .nothing { return verdict.cause.isDecided ? false : nil }
      return !verdict.cause.isDecided
    }
    guard verdict.cause.isDecided else { return nil }
    return verdict.cause == expected.0 && (expected.1 == nil || verdict.scope == expected.1)
  }

  private static let trips = ["apns": 35e3, "fcm": 25e3, "ntfy": 12e3]
  private static let processing = ["apns": 15e3, "fcm": 60e3, "ntfy": 3e3]
  private static let transits = [180e3, 220e3, 150e3, 190e3, 80e3, 95e3]
  private static let interval = 5.0

  /// - Parameter strength: of the cause; 1 as scripted.
  public func make(seed: Int, strength: Double = 1, pings hasPings: Bool = true, baseline: Double = 7200)
    -> Case
  {
    var random = ProcessGenerator("cause/" + rawValue, seed: seed)
    // Of its own, so that what is drawn for the way does not depend on it.
    var shows = ProcessGenerator("display/" + rawValue, seed: seed)
    let length = 600 + 600 * random.unit()
    let end = baseline + length
    let providers = ["apns", "fcm", "ntfy"]
    var provider = providers[Int(random.unit() * 3)]
    let device = random.unit() < 0.5 ? "A1" : "A2"
    var targets = [
      ("apns", "I1"), ("apns", "I2"), ("fcm", "A1"), ("fcm", "A2"), ("ntfy", "A1"), ("ntfy", "A2"),
    ]
    if self == .singleDevice {
      targets = [("apns", "I1"), ("fcm", "A1")]
      provider = random.unit() < 0.5 ? "apns" : "fcm"
    }
    let (size, rate) = (random.unit(), random.unit())
    func wander(_ memory: Double, _ spread: Double) -> (Double) -> Double {
      let noise = random.autoregressive(Int(end / 5) + 3, correlation: exp(-5 / memory))
      return { noise[min(noise.count - 1, Int($0 / 5))] * spread }
    }
    let shared = wander(120, 0.08)
    let own = wander(60, 0.2)
    let paths = Dictionary(uniqueKeysWithValues: providers.map { ($0, wander(120, 0.06)) })
    let speeds = Dictionary(uniqueKeysWithValues: providers.map { ($0, wander(300, 0.1)) })
    let devices = Dictionary(uniqueKeysWithValues: ["I1", "I2", "A1", "A2"].map { ($0, wander(200, 0.15)) })
    // Now and then every phone sleeps for half a minute.
    var sleeps: [String: [(Double, Double)]] = [:]
    for name in ["I1", "I2", "A1", "A2"] {
      for _ in 0..<4 where random.unit() < 0.5 {
        let start = random.unit() * end
        sleeps[name, default: []].append((start, start + 25 + 20 * random.unit()))
      }
    }
    if self == .deviceAsleep {
      var start = baseline
      while start < end {
        let sleep = 60 + 120 * random.unit()
        sleeps[device, default: []].append((start, start + sleep))
        start += sleep + 2 + 6 * random.unit()
      }
    }
    let stalls = (0...Int(end / 0.5)).map {
      self == .hostStall && Double($0) * 0.5 >= baseline && random.unit() < 0.25 + 0.3 * rate
    }
    func lognormal(_ spread: Double) -> Double { exp(spread * random.normal()) }
    func trip(_ name: String, _ time: Double) -> Double {
      let base =
        (Self.trips[name] ?? 0) * exp(random.normal() * 0.12 + shared(time) + (paths[name]?(time) ?? 0))
      let isSlow = time >= baseline && (self == .uplink || self == .path && name == provider)
      return base + (isSlow ? strength * (60e3 + 200e3 * size) * lognormal(0.5) : 0)
    }
    let origin = WallTime(microseconds: 1_700_000_000_000_000)
    func at(_ seconds: Double) -> WallTime { origin.advanced(byMicroseconds: Int64(seconds * 1e6)) }
    var result: [EpisodeTarget] = []
    for (index, (name, phone)) in targets.enumerated() {
      var samples: [EpisodeSample] = []
      var free = 0.0
      var time = random.unit() * Self.interval
      while time < end {
        defer { time += Self.interval }
        let isNow = time >= baseline
        let isMine = isNow && name == provider
        var lag = 300 * exp(random.normal() * 0.5 + own(time))
        if stalls[Int(time / 0.5)] { lag += strength * (80e3 + 300e3 * size) * (0.3 + random.unit()) }
        let round = trip(name, time)
        var work = (Self.processing[name] ?? 0) * exp(random.normal() * 0.4 + (speeds[name]?(time) ?? 0))
        if self == .providerProcessing, isMine {
          work = work * (1 + strength * (4 + 6 * size)) + strength * 60e3
        }
        if self == .queueBehindProvider, isMine { work += strength * (3.5e6 + 3e6 * size) * lognormal(0.3) }
        var isFresh = random.unit() < 0.008
        var opening = 3 * round + 40e3 * lognormal(0.4)
        if self == .connecting, isMine {
          isFresh = random.unit() < 0.3 + 0.3 * rate
          opening += strength * (400e3 + 900e3 * size) * lognormal(0.4)
        }
        if isFresh { lag += opening }
        let service = round + work
        if self == .queueBehindProvider, isMine {
          // One stream at a time; a backlog of half a minute is given up.
          let sent = max(time * 1e6 + lag, free)
          lag = sent - time * 1e6
          free = lag > 30e6 ? time * 1e6 : sent + service
        }
        var transit = Self.transits[index] * exp(random.normal() * 0.45 + (devices[phone]?(time) ?? 0))
        if isMine, self == .providerDelivery || self == .singleDevice {
          transit *= 1 + strength * (2 + 3 * size)
        }
        if isNow, self == .deviceSlow, phone == device { transit *= 1 + strength * (2 + 3 * size) }
        var received = time * 1e6 + lag + service + transit
        for (from, to) in sleeps[phone] ?? [] where received / 1e6 >= from && received / 1e6 < to {
          received = (to + 0.05 + 0.4 * random.unit()) * 1e6
        }
        var sample = EpisodeSample(plannedAt: at(time), state: .delivered, status: 200, isFresh: isFresh)
        sample.lag = Int64(lag)
        sample.service = Int64(service)
        sample.delivery = Int64(received - time * 1e6)
        var lossShare = 0.001
        if isNow {
          let share = min(0.9, strength * (0.12 + 0.3 * size))
          switch self {
          case .providerLoss: if isMine { lossShare = share }
          case .receipts: lossShare = share
          case .deviceLoss: if phone == device { lossShare = share }
          default: break
          }
        }
        if random.unit() < lossShare { sample.state = .lost }
        func refuse(_ status: Int?, _ reason: String?, _ state: NotificationState) {
          sample.state = state
          (sample.status, sample.reason) = (status, reason)
        }
        let share = strength * (0.25 + 0.3 * size)
        if isNow, random.unit() < share {
          switch self {
          case .throttling: if isMine { refuse(429, nil, .rejected) }
          case .credentials: if isMine { refuse(403, "ExpiredProviderToken", .rejected) }
          case .providerErrors: if isMine { refuse(503, nil, .rejected) }
          case .uplinkFailures: refuse(nil, FailureReason.timeout.rawValue, .failed)
          case .oneProviderFails: if isMine { refuse(nil, FailureReason.reset.rawValue, .failed) }
          case .heldBack: refuse(nil, MissedReason.lag.rawValue, .missed)
          default: break
          }
        } else if isMine, self == .throttling, random.unit() < 0.3 {
          refuse(nil, MissedReason.retryAfter.rawValue, .missed)
        }
        let display = 40e3 * exp(0.5 * shows.normal())
        let (shownShare, slowness) = (shows.unit(), shows.unit())
        if sample.state == .delivered {
          let isAffected = isNow && phone == device
          let unseen =
            switch self {
            case .stopsShowing where isAffected: min(0.9, strength * (0.12 + 0.3 * size))
            case .losesPermission where isAffected: min(1, strength)
            default: 0.002
            }
          sample.display = shownShare < unseen ? .unseen : .shown
          let factor = self == .showsLate && isAffected ? 1 + strength * (2 + 3 * size) * (0.5 + slowness) : 1
          // A device's clock shows whole milliseconds.
          if sample.display == .shown { sample.displayTime = Int64(display * factor / 1000) * 1000 }
        }
        if sample.state != .delivered { sample.delivery = nil }
        if sample.state == .missed || sample.state == .failed { (sample.lag, sample.service) = (nil, nil) }
        samples.append(sample)
      }
      result.append(EpisodeTarget(name: "\(name)-\(phone)", provider: name, device: phone, samples: samples))
    }
    var pings: [String: [TimedLatency]] = [:]
    if hasPings {
      for name in Set(targets.map(\.0)).sorted() {
        pings[name] = stride(from: random.unit() * 15, to: end, by: 15).map {
          TimedLatency(plannedAt: at($0), latency: Int64(trip(name, $0)))
        }
      }
    }
    // As it was detected: a few seconds off.
    let start = baseline + 20 * (random.unit() - 0.5)
    let episode = Episode(
      window: at(start)..<at(end), baseline: at(0)..<at(baseline - 60), targets: result, pings: pings)
    return Case(episode: episode, provider: provider, device: device)
  }
}
