extension TargetConfiguration {
  private static let commonKeys = [
    "name", "provider", "endpoint", "ca_file", "schedule", "max_in_flight", "max_lag", "timeout",
    "receipt_deadline",
  ]

  /// - Parameter hearsReceipts: whether the collector has a listener for them.
  init?(_ value: YAMLValue, hearsReceipts: Bool) {
    // Which keys there may be depends on the provider, so it is read first.
    guard let word = value.peek("provider") else {
      _ = value.mapping(keys: Self.commonKeys + HTTPSettings.keys + LoopbackSettings.keys)?
        .required("provider", example: "provider: loopback")
      return nil
    }
    guard let kind = word.choice(of: ProviderKind.self, reserved: ProviderKind.reserved) else { return nil }
    let ownKeys =
      switch kind {
      case .http: HTTPSettings.keys
      case .loopback: LoopbackSettings.keys
      }
    guard let map = value.mapping(keys: Self.commonKeys + ownKeys) else { return nil }

    let name = map.required("name", example: "name: \(kind.rawValue)")?.parsed(Self.name)
    let endpoint = map.required("endpoint", example: "endpoint: https://127.0.0.1:8471")?.parsed(
      Endpoint.parse)
    let caFile = map["ca_file"]?.file()
    let schedule = map["schedule"].map { ScheduleConfiguration($0) } ?? .gentle
    let settings: ProviderSettings =
      switch kind {
      case .http: .http(HTTPSettings(map))
      case .loopback: .loopback(LoopbackSettings(map))
      }
    let maxInFlight = map["max_in_flight"]?.integer(in: 1...100_000)
    let maxLag = map["max_lag"]?.duration(in: .milliseconds(1) ... .seconds(3600))
    let timeout = map["timeout"]?.duration(in: .milliseconds(1) ... .seconds(600))
    let deadline = map["receipt_deadline"]?.duration(in: .milliseconds(1) ... .seconds(7 * 86_400))
    if let endpoint { Self.check(endpoint, of: kind, in: map) }
    if let value = map["receipt_deadline"], kind == .http {
      value.report(
        "cannot be kept: requests of an http target carry nothing that a receipt could name",
        remedy: "delete this line")
    } else if let value = map["receipt_deadline"], !hearsReceipts {
      value.report(
        "waits for receipts, but nothing listens for them",
        remedy: "describe the listener under collector.receipts, or delete this line")
    }

    guard let name, let endpoint, let schedule else { return nil }
    self.init(name: name, endpoint: endpoint, caFile: caFile, schedule: schedule, settings: settings)
    self.maxInFlight = maxInFlight ?? self.maxInFlight
    self.maxLag = maxLag ?? self.maxLag
    self.timeout = timeout ?? self.timeout
    receiptDeadline = deadline
  }

  /// Names stand on command lines, in panels and file names, so they are plain.
  private static func name(_ text: String) throws(ValueTextError) -> String {
    let isPlain = text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "._-".utf8.contains($0)
    }
    guard isPlain, (1...64).contains(text.utf8.count), !text.hasPrefix("-") else {
      throw ValueTextError(
        text, "is not a target's name",
        remedy: "use 1 to 64 letters, digits, dots, hyphens and underscores, not a hyphen first")
    }
    return text
  }

  private static func check(_ endpoint: Endpoint, of kind: ProviderKind, in map: YAMLMapping) {
    if kind == .loopback {
      if endpoint.scheme != .https {
        map["endpoint"]?.report(
          "is not https", remedy: "the loopback service speaks TLS only: write https://")
      }
      if !["", "/"].contains(endpoint.target) {
        map["endpoint"]?.report("has a path", remedy: "end it with the port: the paths are the service's own")
      }
    }
    if endpoint.scheme == .http {
      map["ca_file"]?.report("has no use with an http URL", remedy: "delete it, or make the endpoint https")
    }
  }
}
