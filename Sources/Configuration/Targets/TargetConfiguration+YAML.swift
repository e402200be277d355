extension TargetConfiguration {
  private static let commonKeys = [
    "name", "provider", "endpoint", "ca_file", "schedule", "max_in_flight", "max_lag", "timeout",
    "receipt_deadline", "backoff",
  ]

  /// - Parameter hearsReceipts: whether the collector has a listener for them.
  init?(_ value: YAMLValue, hearsReceipts: Bool) {
    // Which keys there may be depends on the provider, so it is read first.
    guard let word = value.peek("provider") else {
      _ = value.mapping(keys: Self.commonKeys + ProviderKind.allCases.flatMap(\.keys))?
        .required("provider", example: "provider: loopback")
      return nil
    }
    guard let kind = word.choice(of: ProviderKind.self),
      let map = value.mapping(keys: Self.commonKeys + kind.keys)
    else { return nil }

    let name = map.required("name", example: "name: \(kind.rawValue)")?.parsed(Self.name)
    let caFile = map["ca_file"]?.file()
    let schedule = map["schedule"].map { ScheduleConfiguration($0) } ?? .gentle
    let variants = kind.variants(map)
    let settings = variants.first?.settings
    let endpoint = Self.endpoint(of: kind, settings, in: map)
    let maxInFlight = map["max_in_flight"]?.integer(in: 1...100_000)
    let maxLag = map["max_lag"]?.duration(in: .milliseconds(1) ... .seconds(3600))
    let timeout = map["timeout"]?.duration(in: .milliseconds(1) ... .seconds(600))
    let deadline = map["receipt_deadline"]?.duration(in: .milliseconds(1) ... .seconds(7 * 86_400))
    let backoff = map["backoff"].flatMap { BackoffConfiguration($0, of: kind) }
    if let endpoint { Self.check(endpoint, of: kind, in: map) }
    if let settings { Self.checkReceipts(settings, endpoint, hearsReceipts: hearsReceipts, in: map) }

    guard let name, let endpoint, let schedule, let settings else { return nil }
    self.init(name: name, endpoint: endpoint, caFile: caFile, schedule: schedule, settings: settings)
    self.variants = variants
    places = TargetLocations(target: value.place, keys: value.places())
    self.maxInFlight = maxInFlight ?? self.maxInFlight
    self.maxLag = maxLag ?? self.maxLag
    self.timeout = timeout ?? self.timeout
    receiptDeadline = deadline
    self.backoff = backoff ?? self.backoff
    if case .ntfy(let ntfy) = settings, ntfy.subscribe, deadline == nil {
      receiptDeadline = NtfySettings.usualReceiptDeadline
    }
  }

  /// The URL that is written, else the subscription's.
  private static func endpoint(
    of kind: ProviderKind, _ settings: ProviderSettings?, in map: YAMLMapping
  ) -> Endpoint? {
    let own: Endpoint? =
      if case .webpush(let webpush)? = settings { WebPushSettings.endpoint(map, webpush.subscription) } else {
        nil
      }
    if kind == .webpush, map["endpoint"] == nil { return own }
    guard
      var written = map.required("endpoint", example: "endpoint: \(kind.exampleEndpoint)")?
        .parsed(Endpoint.parse)
    else { return nil }
    // Another server stands in for the subscription's; the path is still the subscription's own.
    if kind == .webpush, ["", "/"].contains(written.target) { written.target = own?.target ?? "" }
    return written
  }

  private static func checkReceipts(
    _ settings: ProviderSettings, _ endpoint: Endpoint?, hearsReceipts: Bool, in map: YAMLMapping
  ) {
    guard let value = map["receipt_deadline"] else { return }
    switch settings {
    case .http(let http) where !http.carriesTicket(endpoint: endpoint):
      value.report(
        "cannot be kept: the request carries nothing that a receipt could name",
        remedy: "write {pushscope}, or {id} and {mac}, in body_file or a header, or delete this line")
    case .fcm(let fcm) where fcm.validateOnly:
      value.report(
        "cannot be kept: with validate_only nothing is delivered", remedy: "delete one of the two lines")
    case .ntfy(let ntfy) where ntfy.subscribe: break
    case _ where !hearsReceipts:
      value.report(
        "waits for receipts, but nothing listens for them",
        remedy: "describe the listener under collector.receipts, or delete this line")
    default: break
    }
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
    let source = map["endpoint"]
    if kind.needsTLS, endpoint.scheme != .https {
      source?.report("is not https", remedy: "\(kind.rawValue) is spoken over TLS only: write https://")
    }
    if kind.hasOwnPaths, !["", "/"].contains(endpoint.target) {
      source?.report("has a path", remedy: "end it with the port: the paths are the service's own")
    }
    if endpoint.scheme == .http {
      map["ca_file"]?.report("has no use with an http URL", remedy: "delete it, or make the endpoint https")
    }
  }
}
