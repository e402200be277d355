import Configuration

/// Configuration for `pushscope collect` with one target for each dialect of a running loopback service.
struct GeneratedConfiguration {
  /// Origin of the service.
  var origin: String
  var receipts: ReceiptDestination?

  var text: String {
    var lines = [
      "# Written by `pushscope loopback`, anew at each start. All four dialects of the loopback service; try:",
      "#   pushscope collect --config loopback.yaml",
      "",
    ]
    if let receipts {
      lines += [
        "collector:",
        "  receipts:",
        "    listen: 127.0.0.1:\(receipts.endpoint.port)",
        "    certificate_file: server.pem",
        "    key_file: server.key",
        "    secret_file: receipts.secret",
        "",
      ]
    }
    lines += ["targets:"]
    lines += target(
      "apns", provider: "apns",
      [
        "endpoint: \(origin)", "topic: com.example.app", "push_type: alert", "priority: 10", "expiration: 0",
        "device_token_file: apns.token",
        "credentials: { signing_key_file: AuthKey_\(LoopbackCredentials.signingKeyID).p8, "
          + "key_id: \(LoopbackCredentials.signingKeyID), team_id: \(LoopbackCredentials.teamID) }",
      ])
    lines += target(
      "fcm", provider: "fcm",
      [
        "endpoint: \(origin)", "device_token_file: fcm.token", "priority: high", "ttl: 60s",
        "credentials: { service_account_file: service-account.json }",
      ])
    lines += target(
      "webpush", provider: "webpush",
      [
        "subscription_file: subscription.json", "ttl: 60s", "urgency: high",
        "credentials: { vapid_key_file: vapid.pem, subject: mailto:ops@example.com }",
      ])
    lines += target(
      "ntfy", provider: "ntfy",
      [
        "endpoint: \(origin)", "topic: \(LoopbackCredentials.ntfyTopic)", "subscribe: true",
        "credentials: { token_file: ntfy.token }",
      ], hasReceipts: true)
    return lines.joined(separator: "\n") + "\n"
  }

  private func target(
    _ name: String, provider: String, _ own: [String], hasReceipts: Bool? = nil
  ) -> [String] {
    var lines = ["  - name: \(name)", "    provider: \(provider)"] + own.map { "    " + $0 }
    lines += ["    ca_file: ca.pem", "    schedule: { arrivals: poisson, rate: 4/s }"]
    if hasReceipts ?? (receipts != nil) { lines.append("    receipt_deadline: 10s") }
    return lines
  }
}
