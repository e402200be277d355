extension DelayDistribution {
  private enum Name: String, CaseIterable {
    case constant, uniform, exponential, lognormal, pareto, mixture

    var keys: [String] {
      switch self {
      case .constant: ["value"]
      case .uniform: ["from", "to"]
      case .exponential: ["mean"]
      case .lognormal: ["median", "sigma", "p99"]
      case .pareto: ["minimum", "shape"]
      case .mixture: ["of"]
      }
    }
  }

  /// Mixtures cannot be nested.
  private static let maximumParts = 16

  /// Reads `20ms` for a constant delay, or a mapping with `distribution` and its parameters.
  init?(_ value: YAMLValue) { self.init(value, otherKeys: []) }

  private init?(_ value: YAMLValue, otherKeys: [String]) {
    guard value.isMapping else {
      guard let delay = value.duration(in: .zero...Self.longest) else { return nil }
      self = .constant(delay)
      return
    }
    guard let word = value.peek("distribution") else {
      value.report(
        "needs the key \"distribution\"",
        remedy: "write one of \(Name.allCases.map(\.rawValue).joined(separator: ", ")), or a plain duration")
      return nil
    }
    guard let name = word.choice(of: Name.self),
      let map = value.mapping(keys: ["distribution"] + name.keys + ["at_most"] + otherKeys),
      let shape = Self.shape(name, map)
    else { return nil }
    let maximum = map["at_most"].flatMap { $0.duration(in: .milliseconds(1)...Self.longest) }
    self.init(shape, maximum: maximum ?? Self.longest)
  }

  private static func shape(_ name: Name, _ map: YAMLMapping) -> Shape? {
    switch name {
    case .constant:
      return delay(map, "value").map { .constant($0) }
    case .uniform:
      guard let from = delay(map, "from", least: .zero), let to = delay(map, "to") else { return nil }
      if to < from { map["to"]?.report("is less than \"from\"", remedy: "write the larger one here") }
      return .uniform(from: from, to: to)
    case .exponential:
      return delay(map, "mean").map { .exponential(mean: $0) }
    case .lognormal:
      return lognormal(map)
    case .pareto:
      guard let minimum = delay(map, "minimum"),
        let shape = map.required("shape", example: "shape: 1.5")?.number(in: 0.1...100)
      else { return nil }
      return .pareto(minimum: minimum, shape: shape)
    case .mixture:
      return mixture(map)
    }
  }

  /// The spread is given as sigma or as the 99th percentile.
  private static func lognormal(_ map: YAMLMapping) -> Shape? {
    map.exclude("sigma", with: "p99")
    guard let median = delay(map, "median") else { return nil }
    if let value = map["p99"] {
      guard let p99 = value.duration(in: .nanoseconds(1)...longest) else { return nil }
      guard p99 >= median else {
        value.report("is less than the median", remedy: "write at least \(DurationText.format(median))")
        return nil
      }
      return .lognormal(median: median, sigma: sigma(median: median, p99: p99))
    }
    guard let sigma = map.required("sigma", example: "sigma: 0.5")?.number(in: 0...10) else { return nil }
    return .lognormal(median: median, sigma: sigma)
  }

  private static func mixture(_ map: YAMLMapping) -> Shape? {
    let example = "of: [{ weight: 9, distribution: …, … }, { weight: 1, distribution: …, … }]"
    guard let value = map.required("of", example: example), let list = value.sequence() else { return nil }
    guard (1...maximumParts).contains(list.count) else {
      value.report("has \(list.count) parts", remedy: "write from 1 to \(maximumParts)")
      return nil
    }
    let parts: [Part] = list.compactMap { value in
      if value.peek("distribution")?.scalar()?.text == Name.mixture.rawValue {
        value.report("is a mixture within a mixture", remedy: "write its parts beside the others")
        return nil
      }
      guard let delay = DelayDistribution(value, otherKeys: ["weight"]) else { return nil }
      let weight = value.peek("weight").flatMap { $0.number(in: 0...1_000_000) }
      if value.peek("weight") == nil {
        value.report("needs the key \"weight\"", remedy: "add a line like `weight: 1`")
      }
      return weight.map { Part(weight: $0, delay: delay) }
    }
    guard parts.count == list.count else { return nil }
    guard parts.contains(where: { $0.weight > 0 }) else {
      value.report("has no part with a weight above 0", remedy: "write a weight above 0")
      return nil
    }
    return .mixture(parts)
  }

  private static func delay(
    _ map: YAMLMapping, _ key: String, least: Duration = .nanoseconds(1)
  ) -> Duration? {
    map.required(key, example: "\(key): 200ms")?.duration(in: least...longest)
  }
}
