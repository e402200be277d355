import Measurement
import TestKit
import Testing

@testable import Configuration

/// `devices:`, and who may be sent to.
@Suite struct DevicesConfigurationTests {
  private static let listen = "listen: '127.0.0.1:8480'"

  private func devices(_ keys: String, _ rest: String = "") throws -> DevicesConfiguration {
    try #require(
      try load("devices: { subject: 'mailto:ops@example.com', \(keys) }\n" + rest).devices)
  }

  private func mistakes(_ text: String) throws -> [String] {
    try problems(in: text).map { "\($0.key): \($0.message); \($0.remedy)" }
  }

  private static func address(_ url: String) throws -> DevicesConfiguration.Address {
    .init(
      name: "reception", endpoint: try Endpoint.parse(url), subscriptionFile: "/d/reception.json",
      vapidKeyFile: "/d/vapid.pem", keyHash: "00ff")
  }

  @Test("without targets it is valid, and says how devices are sent to") func standsAlone() throws {
    let devices = try devices(Self.listen)
    let target = try #require(devices.target(of: Self.address("https://fcm.googleapis.com/fcm/send/x")))
    #expect(target.name == "reception" && target.device == "reception")
    #expect(target.schedule == .constant(.every(seconds: 120)))
    #expect(target.receiptDeadline == .seconds(120) && target.pathProbe == nil)
    #expect(target.variants.count == 1)
    #expect(target.joined == .init(keyHash: "00ff", isGlobalOnly: true))
    guard case .webpush(let settings) = target.settings else {
      Issue.record("no Web Push")
      return
    }
    #expect(settings.receiver == .subscription(.file(SecretFile(path: "/d/reception.json"))))
    #expect(settings.credentials?.subject == "mailto:ops@example.com")
    #expect(settings.ttl == .seconds(120) && settings.urgency == .high)
  }

  @Test("lists make variants of each device's target") func variants() throws {
    let devices = try devices("\(Self.listen), ttl: [60s, 10m], urgency: [high, low]")
    let target = try #require(devices.target(of: Self.address("https://web.push.apple.com/x")))
    #expect(
      target.variants.map(\.name) == [
        "ttl=60s,urgency=high", "ttl=60s,urgency=low", "ttl=600s,urgency=high", "ttl=600s,urgency=low",
      ])
    for variant in target.variants {
      guard case .webpush(let settings) = variant.settings else { continue }
      #expect(settings.receiver == .subscription(.file(SecretFile(path: "/d/reception.json"))))
    }
  }

  @Test(
    "only the push services of the list may be sent to",
    arguments: [
      ("https://fcm.googleapis.com/x", true), ("https://fcm.googleapis.com:443/x", true),
      ("https://FCM.googleapis.com/x", true), ("https://wns2-am3p.notify.windows.com/x", true),
      ("https://a.b.notify.windows.com/x", true), ("https://web.push.apple.com/x", true),
      ("https://updates.push.services.mozilla.com/x", true),
      ("http://fcm.googleapis.com/x", false), ("https://fcm.googleapis.com:8443/x", false),
      ("https://fcm.googleapis.com./x", false), ("https://xfcm.googleapis.com/x", false),
      ("https://notify.windows.com/x", false), ("https://evilnotify.windows.com/x", false),
      ("https://.notify.windows.com/x", false), ("https://notify.windows.com.evil.example/x", false),
      ("https://127.0.0.1/x", false), ("https://10.0.0.1/x", false), ("https://[::1]/x", false),
      ("https://localhost/x", false), ("https://2130706433/x", false), ("https://0x7f.1/x", false),
    ] as [(String, Bool)])
  func services(url: String, isAllowed: Bool) throws {
    let devices = try devices(Self.listen)
    let endpoint = try? Endpoint.parse(url)
    #expect((endpoint.flatMap { devices.service(of: $0) } != nil) == isAllowed)
    if let endpoint, !isAllowed {
      var device = try Self.address("https://fcm.googleapis.com/x")
      device.endpoint = endpoint
      #expect(devices.target(of: device) == nil)
    }
  }

  @Test("users and names outside ASCII are no endpoints") func endpoints() {
    for url in [
      "https://u@fcm.googleapis.com/", "https://fcm.googleapis.com@evil.example/", "https://пример.example/",
    ] {
      #expect(throws: ValueTextError.self) { try Endpoint.parse(url) }
    }
  }

  @Test("an address that is listed may be a local one") func listedAddress() throws {
    let devices = try devices("\(Self.listen), services: ['127.0.0.1:8471', '[::1]:8471', push.example.com]")
    for url in ["https://127.0.0.1:8471/x", "https://[::1]:8471/x"] {
      #expect(devices.target(of: try Self.address(url))?.joined?.isGlobalOnly == false)
    }
    #expect(devices.target(of: try Self.address("https://push.example.com/x"))?.joined?.isGlobalOnly == true)
    #expect(devices.target(of: try Self.address("https://fcm.googleapis.com/x")) == nil)
    #expect(devices.services.map(\.description) == ["127.0.0.1:8471", "[::1]:8471", "push.example.com"])
  }

  @Test(
    "patterns that stand for too much are refused",
    arguments: [
      "*.com", "*.0.1", "*.127.0.0.1", "*", "*.", "*..com", "https://a.example", "a b", "host:0", "",
    ])
  func patterns(text: String) throws {
    let found = try mistakes(
      "devices: { subject: 'mailto:ops@example.com', \(Self.listen), services: ['\(text)'] }\n")
    #expect(found.count == 1 && found[0].hasPrefix("devices.services"), "\(found)")
  }

  @Test("what cannot work is refused, with the remedy") func refusals() throws {
    #expect(
      try mistakes("devices: { subject: 'mailto:ops@example.com' }\n") == [
        "devices: need a listener; configure collector.receipts, or devices.listen for browsers on this host"
      ])
    #expect(
      try mistakes("devices: { subject: 'mailto:ops@example.com', listen: '0.0.0.0:8480' }\n").first?
        .contains(
          "is not a loopback address") == true)
    #expect(
      try mistakes("devices: { subject: 'mailto:me@localhost', \(Self.listen) }\n").first?.contains(
        "is not a contact that push services accept") == true)
    #expect(try mistakes("devices: { \(Self.listen) }\n").first?.contains("subject") == true)
    #expect(try mistakes("collector: {}\n").first?.contains("needs the key \"targets\"") == true)
    #expect(try mistakes("targets: []\n").first?.contains("is empty") == true)
    #expect(
      try mistakes("devices: { subject: 'mailto:ops@example.com', \(Self.listen), services: [] }\n").count
        == 1)
  }

  @Test("an objective may name a device that has not joined yet") func objectives() throws {
    let objective = "objectives: [{ name: fast, target: reception, within: 5s, share: 95% }]\n"
    let configuration = try load(
      "devices: { subject: 'mailto:ops@example.com', \(Self.listen) }\n" + objective)
    #expect(
      configuration.objectives.first?.promise
        == .share(0.95, within: .seconds(5), of: .delivery, window: .seconds(30 * 86_400)))
  }

  @Test("the receipt listener's public address is an https URL without a path") func publicURL() throws {
    func receipts(_ url: String) -> String {
      """
      collector:
        receipts:
          listen: 127.0.0.1:8443
          certificate_file: loopback/server.pem
          key_file: loopback/server.key
          secret_file: loopback/receipts.secret
          public_url: \(url)
      devices: { subject: 'mailto:ops@example.com' }

      """
    }
    #expect(
      try load(receipts("https://push.example.com:8443")).collector.receipts?.publicURL?.origin
        == "https://push.example.com:8443")
    for url in ["http://push.example.com", "https://push.example.com/device", "push.example.com"] {
      #expect(try mistakes(receipts(url)).count == 1, "\(url)")
    }
  }
}
