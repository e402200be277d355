import Findings
import Measurement
import Store

/// Reads what a search for a cause looks at: all targets in a stretch and in the baseline before it.
struct EpisodeReading {
  let reader: StoreReader
  let spans: [SeriesSpan]
  /// The series of the finding; other variants of its target are not read.
  let watched: WatchedTarget
  let settings: DetectionSettings

  func episode(_ window: Range<WallTime>, baseline: Range<WallTime>) throws -> Episode {
    let (window, baseline) = bounded(window, baseline)
    let range = baseline.lowerBound..<window.upperBound
    let taking = spans.filter { isPart($0, range) }
    var targets: [String: EpisodeTarget] = [:]
    var pings: [String: [TimedLatency]] = [:]
    // Of a target that moved to another endpoint meanwhile, the newest part counts.
    let newest = Dictionary(taking.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    let names = ProviderNames(newest.values)
    var targetNames: [TargetID: String] = [:]
    for span in taking {
      guard let last = newest[span.name], last.provider == span.provider, last.endpoint == span.endpoint
      else {
        continue
      }
      targetNames[span.target] = span.name
      if targets[span.name] == nil {
        targets[span.name] = EpisodeTarget(
          name: span.name, provider: names.name(of: span), device: try device(last), samples: [])
      }
    }
    let states: Set<NotificationState> = [.planned, .inFlight]
    let variant = Dictionary(
      taking.filter { WatchedTarget($0) == watched }.map { ($0.target, $0.variant) },
      uniquingKeysWith: { first, _ in first })
    let contexts = try reader.deviceContexts()
    try reader.forEachSample(of: Set(targetNames.keys), plannedFrom: range.lowerBound, to: range.upperBound) {
      row in
      guard !states.contains(row.state), let name = targetNames[row.id.target],
        window.contains(row.plannedAt) || baseline.contains(row.plannedAt)
      else { return }
      if let only = variant[row.id.target], only != row.variant { return }
      targets[name]?.samples.append(EpisodeSample(row.sample, context: row.context.flatMap { contexts[$0] }))
    }
    for (id, name) in targetNames {
      guard let provider = targets[name]?.provider else { continue }
      let answers = try reader.pings(of: [id], in: range)
      guard !answers.isEmpty else { continue }
      pings[provider, default: []] += answers.map { TimedLatency(plannedAt: $0.at, latency: $0.roundTrip) }
    }
    return Episode(
      window: window, baseline: baseline,
      targets: targets.values.sorted { $0.name < $1.name }.filter { !$0.samples.isEmpty },
      pings: pings.mapValues { $0.sorted { $0.plannedAt < $1.plannedAt } })
  }

  private func isPart(_ span: SeriesSpan, _ range: Range<WallTime>) -> Bool {
    span.earliest < range.upperBound && (span.endedAt ?? range.upperBound) > range.lowerBound
  }

  private func device(_ span: SeriesSpan) throws -> String {
    try span.device ?? reader.receiptDevice(of: span.target) ?? span.name
  }

  /// The device of a target that took part in a stretch.
  func device(of target: String, _ range: Range<WallTime>) throws -> String {
    guard let span = spans.last(where: { $0.name == target && isPart($0, range) }) else { return target }
    return try device(span)
  }

  /// Both stretches cut to what can be read in a moment, the beginning of one and the end of the other, by the rates that were
  /// asked for.
  private func bounded(
    _ window: Range<WallTime>, _ baseline: Range<WallTime>
  ) -> (window: Range<WallTime>, baseline: Range<WallTime>) {
    let rates = Dictionary(
      spans.filter { isPart($0, baseline.lowerBound..<window.upperBound) }.map { ($0.name, $0.askedRate) },
      uniquingKeysWith: max)
    let rate = max(1e-6, rates.values.reduce(0, +))
    let longest = Duration.microseconds(max(1, Int64(Double(settings.longestEpisode) / rate / 2 * 1e6)))
    let end = min(window.upperBound, window.lowerBound + longest)
    let start = max(baseline.lowerBound, baseline.upperBound - longest)
    return (window.lowerBound..<end, start..<baseline.upperBound)
  }

  /// A target with at most ``DetectionSettings/legSamples`` notifications on each side, evenly taken.
  func thinned(_ target: EpisodeTarget, from episode: Episode) -> EpisodeTarget {
    let limit = max(1, settings.legSamples)
    func every(_ samples: [EpisodeSample]) -> [EpisodeSample] {
      let step = (samples.count + limit - 1) / limit
      return step < 2 ? samples : stride(from: 0, to: samples.count, by: step).map { samples[$0] }
    }
    var result = target
    result.samples =
      every(target.samples.filter { episode.baseline.contains($0.plannedAt) })
      + every(target.samples.filter { episode.window.contains($0.plannedAt) })
    return result
  }
}

/// What providers are called in causes: by their kind, with the endpoint where there are several of the kind.
struct ProviderNames {
  private let endpoints: [String: Set<String>]
  private let kinds: [String: Set<String>]

  init(_ spans: some Collection<SeriesSpan>) {
    endpoints = Dictionary(grouping: spans, by: \.provider).mapValues { Set($0.map(\.endpoint)) }
    kinds = Dictionary(grouping: spans, by: \.endpoint).mapValues { Set($0.map(\.provider)) }
  }

  /// One service that is sent to in several ways, as FCM is for apps and for browsers, is one provider:
  /// `fcm.googleapis.com (fcm and webpush)`.
  func name(of span: SeriesSpan) -> String {
    guard !span.endpoint.isEmpty else { return span.provider }
    let host = Self.host(of: span.endpoint)
    if let kinds = kinds[span.endpoint], kinds.count > 1 {
      return "\(host) (\(ListText.and(kinds.sorted())))"
    }
    return endpoints[span.provider]?.count == 1 ? span.provider : "\(span.provider) at \(host)"
  }

  /// The host of an endpoint, and its port where it is not that of its scheme.
  static func host(of endpoint: String) -> String {
    endpoint.split(separator: "/").last.map(String.init) ?? endpoint
  }
}
