import Configuration
import Foundation
import Measurement
import NIOCore
import Providers
import TestKit
import Testing

@testable import Collector
@testable import LoopbackService
@testable import Terminal
@testable import Transport

/// Something that reads what comes from outside, with good input to be damaged. **Whoever writes a new parser of outside
/// data adds it to ``all``.**
struct OutsideParser: Sendable, CustomTestStringConvertible {
  /// What came of a reading.
  struct Outcome {
    /// In our own words, for people: they must be harmless and short.
    var words: [String] = []
    /// Taken from outside: no longer than ``longest`` bytes each.
    var values: [String] = []
    var longest = 8192
  }

  var name: String
  var good: [String]
  /// How many damaged inputs it is given for each seed.
  var rounds = 400
  /// Whether the good input is taken as it is: not where it names files that are not there, or a key that is none.
  var isTaken = true
  var read: @Sendable ([UInt8]) -> Outcome

  var testDescription: String { name }

  private static func words(_ body: () throws -> Void) -> Outcome {
    do {
      try body()
      return Outcome()
    } catch let error as ConfigurationError {
      return Outcome(words: error.problems.prefix(100).flatMap { [$0.message, $0.remedy] })
    } catch let error as ReceiptBatch.Malformed {
      return Outcome(words: [error.message])
    } catch {
      return Outcome(words: ["\(error)"])
    }
  }

  static let all: [OutsideParser] = devices + providers + credentials + files + words + terminals

  // MARK: What devices send

  private static let devices = [
    OutsideParser(
      name: "POST /v1/receipts",
      good: [
        #"{"receipts":[{"id":"0193a1b2-0000-7000-8000-000000000001","mac":"abc","received_at_ms":1700000000123,"device":"d","boot_id":"b","monotonic_ns":5}],"clock":[{"t1":1,"t2":2,"t3":3,"t4":4,"device":"d"}]}"#
      ],
      read: { bytes in
        var outcome = Outcome(longest: 128)
        let refusal = words {
          let batch = try ReceiptBatch(json: Data(bytes))
          for entry in batch.entries {
            outcome.values += [entry.id, entry.mac, entry.device, entry.bootID ?? ""]
          }
          for exchange in batch.exchanges { outcome.values += [exchange.device, exchange.bootID ?? ""] }
        }
        outcome.words = refusal.words
        return outcome
      }),
    OutsideParser(
      name: "a push service's message to its user agent",
      good: [
        #"{"messageType":"notification","channelID":"c","version":"v","data":"AQI","headers":{"encoding":"aes128gcm"}}"#,
        #"{"messageType":"hello","uaid":"u","status":200}"#,
        #"{"messageType":"register","channelID":"c","status":200,"pushEndpoint":"https://h/x"}"#,
      ],
      read: { bytes in
        switch AutopushEvent.parse(bytes) {
        case .hello(let uaid, _): Outcome(values: [uaid], longest: 128)
        case .notification(let notification):
          Outcome(values: [notification.channelID, notification.version], longest: 2048)
        default: Outcome()
        }
      }),
    OutsideParser(
      name: "the answer to the opening of a WebSocket",
      good: [
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
      ],
      isTaken: false,
      read: { bytes in
        var opening = WebSocketOpening(nonce: [UInt8](repeating: 1, count: 16))
        return words { _ = try opening.receive(bytes) }
      }),
    OutsideParser(
      name: "POST /v1/clock", good: [#"{"t1":1700000000000000000}"#],
      read: { bytes in words { _ = try ClockQuestion.parse(json: Data(bytes)) } }),
    OutsideParser(
      name: "a notification as the loopback service reads it",
      good: [
        #"{"aps":{"alert":"x"},"pushscope":{"v":1,"id":"0193a1b2-0000-7000-8000-000000000001","mac":"ab_-","at":1700000000123}}"#
      ],
      read: { bytes in
        let receipt = PayloadReader.read(ByteBuffer(bytes: bytes))?.receipt
        return Outcome(values: [receipt?.id, receipt?.mac].compactMap { $0 }, longest: 128)
      }),
    OutsideParser(
      name: "ids", good: ["0193a1b2-0000-7000-8000-000000000001"],
      read: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        return Outcome(
          values: [RunID(text)?.description, NotificationID(text)?.description].compactMap { $0 }, longest: 36
        )
      }),
  ]

  // MARK: What providers send

  private static let answers: [any Provider] = {
    var providers: [any Provider] = [
      HTTPProvider(url: "https://h/"), LoopbackProvider(origin: "https://127.0.0.1:1"),
    ]
    if let apns = try? APNsProvider(
      origin: "https://h", deviceToken: String(repeating: "a0", count: 32), topic: "com.example.app",
      authorization: .bearer("t"))
    {
      providers.append(apns)
    }
    if let fcm = try? FCMProvider(
      origin: "https://h", projectID: "project-1", deviceToken: "abc:def", accessToken: "t")
    {
      providers.append(fcm)
    }
    if let ntfy = try? NtfyProvider(origin: "https://h", topic: "probe") { providers.append(ntfy) }
    return providers
  }()

  /// SETTINGS, PING, and HEADERS (literals without indexing) and DATA of a response on stream 1.
  private static let http2Frames =
    "\0\0\0\u{4}\0\0\0\0\0" + "\0\0\u{8}\u{6}\0\0\0\0\012345678"
    + "\0\0\u{17}\u{1}\u{4}\0\0\0\u{1}\0\u{7}:status\u{3}200\0\u{5}small\u{2}ok"
    + "\0\0\u{2}\0\u{1}\0\0\0\u{1}ok"

  private static let providers = [
    OutsideParser(
      name: "an answer's body",
      good: [
        #"{"reason":"Unregistered","timestamp":1}"#,
        #"{"error":{"status":"UNAVAILABLE","details":[{"errorCode":"X"}]}}"#,
        #"{"code":42901,"http":429,"error":"limit reached"}"#,
      ],
      read: { bytes in
        var outcome = Outcome(longest: 1000)
        for (index, provider) in answers.enumerated() {
          let response = PushResponse(
            status: [400, 410, 429, 500, 503][index % 5], body: bytes, receivedAt: WallTime(microseconds: 0))
          if case .rejected(let reason) = provider.assess(response).decision { outcome.values.append(reason) }
        }
        return outcome
      }),
    OutsideParser(
      name: "an answer's headers",
      good: ["retry-after: 120\r\ncontent-type: text/html\r\ndate: Wed, 04 Mar 2026 05:06:17 GMT\r\n"],
      read: { bytes in
        let response = PushResponse(
          status: 429, headers: ResponseHeaders(lines: bytes), body: [], receivedAt: WallTime(microseconds: 0)
        )
        return Outcome(
          words: answers.compactMap { provider in
            provider.assess(response).retryAfter.flatMap {
              (.zero...RetryAfter.longest).contains($0) ? nil : "a pause of \($0)\u{1B}"
            }
          })
      }),
    OutsideParser(
      name: "frames of an HTTP/2 server", good: [http2Frames],
      read: { bytes in
        guard let session = try? HTTP2Session(at: .zero),
          let stream = try? session.submit(HTTP2RequestFields(HTTP2Request(authority: "h")), body: [1])
        else { return Outcome(words: ["no session"]) }
        var written: [UInt8] = []
        session.write(into: &written)
        bytes.withUnsafeBytes { session.receive($0, at: .zero) }
        session.write(into: &written)
        var outcome = Outcome(words: session.failure.map { [$0.detail] } ?? [])
        var events: [HTTP2Event] = []
        session.exchangeEvents(with: &events)
        for event in events {
          switch event {
          case .ended(stream, .completed(let response)):
            outcome.values.append(String(decoding: response.headerLines + response.body, as: UTF8.self))
          case .ended(_, .malformed(let text)): outcome.words.append(text)
          case .goaway(let goaway): outcome.values.append(String(decoding: goaway.debug, as: UTF8.self))
          default: break
          }
        }
        return outcome
      }),
    OutsideParser(
      name: "an access token", good: [#"{"access_token":"a","expires_in":3599,"token_type":"Bearer"}"#],
      read: { bytes in
        let response = PushResponse(status: 200, body: bytes, receivedAt: WallTime(microseconds: 0))
        switch OAuthToken.parse(response) {
        case .success(let token): return Outcome(values: [token.value])
        case .failure(let refusal): return Outcome(values: [refusal.reason], longest: 2000)
        }
      }),
    OutsideParser(
      name: "a user agent's message to the loopback service",
      good: [
        #"{"messageType":"hello","uaid":"","use_webpush":true}"#,
        #"{"messageType":"register","channelID":"c","key":"k"}"#,
        #"{"messageType":"ack","updates":[{"channelID":"c","version":"v","code":100}]}"#,
      ],
      read: { bytes in
        Outcome(
          values: AutopushRequest(String(decoding: bytes, as: UTF8.self)).map { ["\($0)"] } ?? [],
          longest: 65_536)
      }),
    OutsideParser(
      name: "lines of an ntfy stream",
      good: [
        #"{"id":"x","time":1,"event":"message","topic":"t","message":"{\"pushscope\":{\"v\":1,\"id\":\"a\"}}"}"#
          + "\n"
          + #"{"id":"y","time":2,"event":"keepalive","topic":"t"}"# + "\n"
      ],
      read: { bytes in
        var splitter = LineSplitter(maximumBytes: 300)
        var outcome = Outcome(longest: 300)
        for line in splitter.append(bytes + [0x0A]) {
          outcome.values.append(String(decoding: line, as: UTF8.self).prefix(70).description)
          if case .message(let message) = NtfyEvent.parse(line) {
            outcome.values += [message.id, message.text]
          }
        }
        return outcome
      }),
  ]

  // MARK: Credentials

  private static let pem =
    "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----\n"

  private static let credentials = [
    OutsideParser(
      name: "an APNs key", good: [pem], isTaken: false,
      read: { bytes in
        words { _ = try APNsTokenSigner(keyPEM: bytes, keyID: "ABCDEFGHIJ", teamID: "ABCDEFGHIJ") }
      }),
    OutsideParser(
      name: "a VAPID key", good: [pem], isTaken: false,
      read: { bytes in words { _ = try VAPIDSigner(keyPEM: bytes, subject: "mailto:a@example.com") } }),
    OutsideParser(
      name: "a service account",
      good: [
        #"{"type":"service_account","project_id":"project-1","private_key_id":"k","private_key":"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n","client_email":"a@b.iam.gserviceaccount.com","token_uri":"https://oauth2.googleapis.com/token"}"#
      ],
      isTaken: false,
      read: { bytes in words { _ = try ServiceAccount(json: bytes) } }),
    OutsideParser(
      name: "a Web Push or UnifiedPush subscription",
      good: [
        #"{"endpoint":"https://push.example.net/wpush/s3cret","expirationTime":null,"keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
      ],
      read: { bytes in
        var outcome = Outcome(longest: 4096)
        outcome.words = words { outcome.values.append(try PushSubscription(json: bytes).endpoint) }.words
        return outcome
      }),
  ]

  // MARK: Files of the user

  private static let root = URL(fileURLWithPath: Programs.repository)

  private static func text(_ path: String) -> String {
    (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? "targets: []\n"
  }

  private static func names(in folder: String) -> [String] {
    let path = root.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter {
      $0.hasSuffix(".yaml")
    }
    .sorted()
  }

  /// Reads it from a file, as the commands do.
  private static func loading(
    _ load: @escaping @Sendable (String) throws -> Void
  ) -> @Sendable ([UInt8]) -> Outcome {
    { bytes in
      let file = FileManager.default.temporaryDirectory.path + "/pushscope-fuzz-\(UUID().uuidString).yaml"
      defer { try? FileManager.default.removeItem(atPath: file) }
      guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else {
        return Outcome(words: ["no file\u{1B}"])
      }
      return words { try load(file) }
    }
  }

  private static let files = [
    OutsideParser(
      name: "the configuration", good: [text("config/pushscope.yaml")], rounds: 100, isTaken: false,
      read: loading { _ = try PushscopeConfiguration.load(path: $0, environment: ["HOME": "/h\u{1B}"]) }),
    OutsideParser(
      name: "the dashboard's section", good: [text("config/pushscope.yaml")], rounds: 100,
      read: loading { _ = try DashboardConfiguration.load(path: $0, environment: [:]) }),
    OutsideParser(
      name: "a theme", good: names(in: "config/themes").map { text("config/themes/" + $0) }, rounds: 100,
      read: loading { _ = try ThemeConfiguration.load(path: $0) }),
    OutsideParser(
      name: "a scenario", good: names(in: "config/scenarios").map { text("config/scenarios/" + $0) },
      rounds: 30,
      read: loading { _ = try Scenario.load(path: $0, environment: [:]) }),
    OutsideParser(
      name: "a request template", good: [#"{"p":{pushscope},"x":"{padding}"}"#],
      read: { bytes in
        _ = RequestTemplate(bytes)
        return Outcome()
      }),
    OutsideParser(
      name: "latencies of a store", good: ["\u{1}\u{2}\u{3}\u{7F}abc"],
      read: { bytes in
        var histogram = LatencyHistogram()
        histogram.merge(PackedLatencies(bytes: bytes))
        return Outcome(words: histogram.count < 0 ? ["fewer than none\u{1B}"] : [])
      }),
  ]

  // MARK: Words of a person

  private static func value<T>(
    _ name: String, _ good: [String], _ parse: @escaping @Sendable (String) throws -> T
  ) -> OutsideParser {
    OutsideParser(
      name: name, good: good, rounds: 1000,
      read: { bytes in words { _ = try parse(String(decoding: bytes.prefix(300), as: UTF8.self)) } })
  }

  private static let words = [
    value("a duration", ["250ms", "1h"]) { try DurationText.parse($0) },
    value("a rate", ["4/s", "30/min"]) { try RateText.parse($0) },
    value("a time", ["-1h", "2026-03-01T12:00:00Z"]) {
      try TimeText.parse($0, now: WallTime(microseconds: 0))
    },
    value("an endpoint", ["https://h.example:8443/a?b=c"]) { try Endpoint.parse($0) },
    value("an address", ["127.0.0.1:8443", "[::1]:1"]) { try ListenAddress.parse($0) },
    value("statuses", ["200-299,304"]) { try StatusRanges.parse($0) },
    value("a key", ["ctrl-a", "f5"]) { try KeyChord.parse($0) },
  ]

  // MARK: Terminals

  private static let terminals = [
    OutsideParser(
      name: "what a terminal sends", good: ["\u{1B}[<0;10;5M\u{1B}[200~text\u{1B}[201~\u{1B}OP\u{1B}[?62;1c"],
      read: { bytes in
        var decoder = InputDecoder()
        for byte in bytes { decoder.feed(byte) }
        return Outcome(
          words: decoder.drainEvents().count > bytes.count ? ["more events than bytes\u{1B}"] : [])
      })
  ]
}
