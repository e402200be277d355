import Configuration
import Findings
import Formats
import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Report
@testable import Store

@Suite struct FindingEvidenceTests {
  private static let start = RecordedStore.start
  private static let token = String(repeating: "0a1b2c3d", count: 8)
  private let fixture: RecordedStore

  init() throws { fixture = try RecordedStore() }

  private static func after(_ seconds: Int64) -> WallTime {
    start.advanced(byMicroseconds: seconds * 1_000_000)
  }

  /// Of apns and the phone, slow between the 100th and the 150th second; the tablet is well, and so is fcm for the same phone.
  /// Only its receipts name the phone.
  /// - Parameter isShown: whether the phone also reports when it showed them, and its network.
  private func record(isShown: Bool = false) throws -> (finding: FindingRecord, run: RunRegistration) {
    func target(_ name: String, _ provider: String, _ device: String? = nil) -> TargetDescription {
      TargetDescription(
        name: name, provider: provider, receiptDeadline: 30_000_000, askedRate: 4,
        endpoint: "https://\(provider).example:443", device: device)
    }
    let run = try fixture.begin(
      0,
      [
        target("android", "fcm"), target("ios", "apns"),
        target("tablet", "apns", "tablet"), target("web", "webpush", "laptop"),
      ])
    let samples = ["android", "ios", "tablet", "web"].flatMap { name -> [Sample] in
      guard let id = run[name]?.id else { return [] }
      return (1...1_200).map { (sequence: Int64) -> Sample in
        let second = (sequence - 1) / 4
        // Each second one in ten stays as it was.
        let isSlow = name == "ios" && (100..<150).contains(second) && sequence % 10 != 0
        var sample = Sample.planned(id, sequence).accepted(lag: 100, service: 40_000).delivered(
          after: isSlow ? 2_000_000 + sequence : 90_000 + sequence % 7, error: 5_000)
        guard isShown, name == "ios" else { return sample }
        sample.context = DeviceContextID(rawValue: 1)
        sample.display = sequence == 598 ? .unseen : .shown
        sample.shownLatency = sequence == 598 ? nil : sample.deliveryLatency.map { $0 + 250_000 }
        return sample
      }
    }
    let receipts = try ["android", "ios"].map { name in
      Receipt(
        sample: SampleID(target: try #require(run[name]).id, sequence: 1), device: "phone",
        receivedAt: Self.after(1), arrivedAt: Self.after(1), isSameClock: true)
    }
    var context = DeviceContext()
    context[.network] = "cellular"
    context[.os] = "phone\u{1b}[31m"
    try fixture.write(
      WriteBatch(
        run: run.run, inserted: samples,
        contexts: [StoredDeviceContext(id: DeviceContextID(rawValue: 1), context: context)],
        receipts: receipts))
    var finding = FindingRecord(
      id: "3f9a01bc", incident: "3f9a01bc", run: run.run, target: "ios", variant: "", provider: "apns",
      endpoint: "https://apns.example:443", device: "phone", metric: .delivery, kind: .slower,
      status: .closed, startedAt: Self.after(100), detectedAt: Self.after(110), seenUntil: Self.after(150))
    finding.endedAt = Self.after(150)
    (finding.quantile, finding.before, finding.after) = (0.5, 95_000, 2_000_000)
    try fixture.save([finding])
    return (finding, run)
  }

  private static let subscription = """
    {"endpoint":"https://push.example/wp/abcdefghijklmnop","keys":{"p256dh":"\(p256dh)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
    """
  /// The receiver's public key of RFC 8291, appendix A.
  private static let p256dh =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  /// - Parameter further: lines of further targets.
  private static func configuration(_ further: String = "") throws -> [String: EvidenceTarget] {
    let directory = try TemporaryDirectory()
    let pem = "-----BEGIN CERTIFICATE-----\n"
    try directory.write("push.pem", pem, mode: 0o644)
    try directory.write("push.key", "-----BEGIN PRIVATE KEY-----\n")
    try directory.write("device.token", token + "\n")
    try directory.write("receipts.secret", "0123456789abcdef0123456789abcdef\n")
    let file = try directory.write(
      "pushscope.yaml",
      """
      collector:
        receipts: { listen: 127.0.0.1:0, certificate_file: push.pem, key_file: push.key, secret_file: receipts.secret }
      targets:
        - name: ios
          provider: apns
          endpoint: https://apns.example
          topic: com.example.app
          push_type: background
          priority: 5
          expiration: 60s
          device_token_file: device.token
          credentials: { certificate_file: push.pem, private_key_file: push.key }
        - name: secret-topic
          provider: ntfy
          endpoint: https://ntfy.example
          topic: hard-to-guess
          priority: 4

      """ + further)
    let configuration = try PushscopeConfiguration.load(
      path: file, environment: ["SUBSCRIPTION": subscription])
    return Dictionary(uniqueKeysWithValues: configuration.targets.map { ($0.name, EvidenceTarget($0)) })
  }

  private func evidence(_ finding: FindingRecord, configured: [String: EvidenceTarget]? = nil) throws
    -> FindingEvidence
  {
    try FindingEvidence(finding, fixture.reader(), configured: configured, now: Self.after(400))
  }

  @Test("the five worst, five normal ones of the same time, and the others for comparison")
  func choice() throws {
    let (finding, _) = try record()
    let section = try #require(try evidence(finding).sections.first)
    #expect(section.worst.map(\.sample.id.sequence) == [599, 598, 597, 596, 595])
    #expect(section.normal.map(\.sample.id.sequence) == [600, 590, 580, 570, 560])
    #expect(!section.isNormalBefore && !section.isOpen)
    #expect(section.controls.map(\.target) == ["android", "tablet"])
    #expect(section.controls.allSatisfy { $0.settled == 200 && ($0.median?.value ?? 0) < 100_000 })
  }

  @Test("what is normal is looked for before the finding, where all of its time was bad")
  func normalBefore() throws {
    var (finding, _) = try record()
    (finding.startedAt, finding.endedAt) = (Self.after(102), Self.after(104))
    finding.before = 90_000
    finding.startedAt = Self.start.advanced(byMicroseconds: 102_500_000)
    let section = try #require(try evidence(finding).sections.first)
    #expect(section.isNormalBefore)
    #expect(
      section.normal.count == 5 && section.normal.allSatisfy { $0.sample.plannedAt < finding.startedAt })
    #expect(section.normal.allSatisfy { ($0.sample.deliveryLatency ?? 0) <= 90_000 })
    #expect(
      try evidence(finding).lines.contains("none of this time was normal; the last normal ones before it:"))
  }

  @Test("it is ready to be sent, and has no secret")
  func text() throws {
    let (finding, run) = try record()
    let lines = try evidence(finding, configured: Self.configuration()).lines
    let text = lines.joined(separator: "\n")
    #expect(lines.first == "For the engineers of apns, about https://apns.example:443")
    let id = NotificationID(
      run: run.run, sample: SampleID(target: try #require(run["ios"]).id, sequence: 599)
    ).description
    let first = try #require(lines.firstIndex { $0.hasPrefix("- apns-id") })
    #expect(lines[first].hasSuffix(id))
    func collapsed(_ line: String) -> String {
      line.split(separator: " ").joined(separator: " ")
    }
    let rows = lines[first...].map(collapsed)
    for row in [
      "planned 2026-03-01T12:02:29.500000Z", "sent 2026-03-01T12:02:29.500100Z",
      "accepted 2026-03-01T12:02:29.540100Z",
      "received 2026-03-01T12:02:31.500599Z (2026-03-01T12:02:31.495599Z to 2026-03-01T12:02:31.505599Z)",
      "state delivered: arrived 1.96 s (1.96 to 1.97 s) after it was accepted",
      "answer status 200, HTTP/2", "body 180 bytes",
      "apns-topic com.example.app", "apns-push-type background", "apns-priority 5",
      "apns-expiration 1m after it was planned", "device phone",
    ] {
      #expect(rows.contains(row), "\(row)\n\(text)")
    }
    #expect(lines.count { $0.hasPrefix("- apns-id") } == 10)
    #expect(
      lines.contains { $0.hasPrefix("  phone   android  fcm") }
        && lines.contains { $0.hasPrefix("  tablet  tablet   apns") })
    #expect(!lines.contains { $0.contains("web") })
    // The hash is of the token alone.
    let digest = try Python.run("import hashlib; print(hashlib.sha256(b'\(Self.token)').hexdigest()[:8])")
    #expect(rows.contains("token_sha256 " + digest.trimmingCharacters(in: .newlines)))
    #expect(!text.contains(Self.token) && !text.contains("0a1b2c3d"))
    #expect(try !evidence(finding, configured: Self.configuration()).json.text.contains("0a1b2c3d"))
  }

  @Test("what the device reported is part of it: when it showed each, and in what circumstances")
  func shown() throws {
    let (finding, _) = try record(isShown: true)
    let evidence = try evidence(finding)
    let text = evidence.lines.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")
    #expect(text.contains("\nshown 2026-03-01T12:02:31.750599Z\n"))
    #expect(text.contains("\nshown not by its receipt deadline\n"))
    #expect(text.contains(#"reported {"network":"cellular","os":"phone"#) && !text.contains("\u{1b}"))
    #expect(evidence.json.text.contains("cellular"))
  }

  @Test func aTopicThatIsSecretIsHashed() throws {
    let fields = try #require(try Self.configuration()["secret-topic"]).fields(of: "")
    #expect(fields.map(\.name) == ["priority", "topic_sha256"])
    #expect(fields.allSatisfy { !$0.value.contains("hard-to-guess") })
  }

  @Test("without a configuration it says what is missing")
  func unconfigured() throws {
    let (finding, _) = try record()
    let lines = try evidence(finding).lines
    #expect(lines.contains { $0.hasSuffix("name the configuration of the collector with --config.") })
    #expect(!lines.contains { $0.contains("apns-topic") })
  }

  @Test("a message's URL is told when nobody can delete the message by it any more")
  func location() throws {
    var (finding, run) = try record()
    let id = try #require(run["web"]?.id)
    (finding.target, finding.provider, finding.device) = ("web", "webpush", "laptop")
    (finding.endpoint, finding.before) = ("https://webpush.example:443", 1_000)
    let updated = (401...600).map { (sequence: Int64) -> Sample in
      var sample = Sample.planned(id, sequence).accepted(lag: 100, service: 40_000).delivered(
        after: 90_000 + sequence)
      sample.answerID = "push.example m\(sequence)"
      return sample
    }
    try fixture.write(WriteBatch(run: run.run, updated: updated))
    func evidence(after seconds: Int64, configured: [String: EvidenceTarget]?) throws -> String {
      try FindingEvidence(
        finding, fixture.reader(), configured: configured, now: Self.after(seconds)
      ).lines.joined(separator: "\n")
    }
    let configured = try Self.configuration(
      """
        - name: web
          provider: webpush
          ttl: [60s, 10m]
          subscription: ${SUBSCRIPTION}
      """)
    let early = try evidence(after: 200, configured: configured)
    #expect(early.contains("not told before 2026-03-01T12:12:29.540100Z, when its TTL is over"))
    #expect(!early.contains("m599") && !early.contains("/…/"))
    let late = try evidence(after: 1_000, configured: configured)
    #expect(late.contains("Location") && late.contains("push.example/…/m599"))
    // Without a configuration it may have been kept for as long as services do.
    #expect(try !evidence(after: 1_000, configured: nil).contains("m599"))
    #expect(try evidence(after: 40 * 86_400, configured: nil).contains("push.example/…/m599"))
  }

  @Test("each provider of an incident has a part of its own")
  func providers() throws {
    let (finding, run) = try record()
    var other = FindingRecord(
      id: "ffff0000", incident: finding.id, run: run.run, target: "android", variant: "", provider: "fcm",
      endpoint: "https://fcm.example:443", device: "phone", metric: .lost, kind: .losing, status: .closed,
      startedAt: Self.after(100), detectedAt: Self.after(110), seenUntil: Self.after(150))
    other.endedAt = Self.after(150)
    try fixture.save([other])
    let evidence = try evidence(finding)
    #expect(evidence.sections.map(\.provider) == ["apns", "fcm"])
    // None is lost.
    #expect(evidence.sections[1].worst.isEmpty)
    #expect(evidence.lines.contains("no notification of this time is affected"))
    #expect(evidence.sections[1].controls.map(\.target) == [])
    #expect(evidence.sections[0].controls.map(\.target) == ["tablet"])
  }

  @Test("JSON has the columns of samples and what was asked for", .enabled(if: Python.isUsable))
  func json() throws {
    let (finding, _) = try record()
    let script = """
      import json, sys
      evidence = json.load(open(sys.argv[1]))
      part = evidence["providers"][0]
      one = part["worst"][0]
      print(evidence["finding"], evidence["configured"], part["provider"], part["from"], part["open"])
      print(len(part["worst"]), len(part["normal"]), one["sequence"], one["delivery_low_us"], one["request"]["apns-topic"])
      print([(c["target"], c["settled"], c["lost_share"]) for c in part["controls"]])
      """
    let text = try evidence(finding, configured: Self.configuration()).json.text
    #expect(
      try Python.run(script, input: Array(text.utf8)) == """
        3f9a01bc True apns 2026-03-01T12:01:40.000000Z False
        5 5 599 1995599 com.example.app
        [('android', 200, 0), ('tablet', 200, 0)]

        """)
  }
}
