import Foundation
import Measurement
import Providers
import Testing

@testable import Collector

@Suite("What a user agent says and does") struct AutopushSessionTests {
  private static let service = "https://push.example.net/"
  private static let origin = "https://e.example.net"
  private static let endpoint = origin + "/wpush/v2/token"

  private static func identity(
    service: String = service, endpoint: String = endpoint, key: String? = "key"
  ) -> AutopushIdentity {
    AutopushIdentity(
      service: service, uaid: "known", channelID: "channel", endpoint: endpoint, senderKey: key,
      receiver: .random())
  }

  private func session(_ identity: AutopushIdentity?, mustRegister: Bool = false) -> AutopushSession {
    AutopushSession(
      service: Self.service, origin: Self.origin, senderKey: "key", identity: identity,
      mustRegister: mustRegister)
  }

  private func registered(_ effects: [AutopushSession.Effect]) throws -> String {
    guard case .say(.register(let channelID, let key))? = effects.last else {
      throw CocoaError(.featureUnsupported)
    }
    #expect(key == "key" && UUID(uuidString: channelID)?.uuidString.lowercased() == channelID)
    return channelID
  }

  @Test("who is known again is subscribed at once") func known() throws {
    let identity = Self.identity()
    var session = session(identity)
    #expect(session.greeting == .hello(uaid: "known"))
    #expect(try session.receive(.hello(uaid: "known", status: 200)) == [.opened])
    #expect(session.step == .open && session.identity == identity)
    #expect(try session.receive(.hello(uaid: "known", status: 200)).isEmpty)
  }

  @Test("anybody else registers, with keys and a channel that are new")
  func new() throws {
    var session = session(nil)
    #expect(session.greeting == .hello(uaid: nil))
    let channelID = try registered(try session.receive(.hello(uaid: "new", status: 200)))
    // Of another channel it says nothing.
    #expect(
      try session.receive(.registered(channelID: "other", status: 200, endpoint: Self.endpoint)).isEmpty)
    let effects = try session.receive(.registered(channelID: channelID, status: 200, endpoint: Self.endpoint))
    guard case .adopt(let identity)? = effects.first else { return #expect(Bool(false), "\(effects)") }
    #expect(effects.last == .opened && effects.count == 2)
    #expect(identity.uaid == "new" && identity.endpoint == Self.endpoint && identity.channelID == channelID)
    #expect(session.identity == identity)
  }

  @Test(
    "a former subscription is given up where it is of no use",
    arguments: [
      (identity(key: "another"), false, "known", true), (identity(key: nil), false, "known", true),
      (identity(endpoint: "https://other.example.net/x"), false, "known", true),
      (identity(), true, "known", true),
      (identity(), false, "other", false),
    ])
  func anew(identity: AutopushIdentity, mustRegister: Bool, uaid: String, isUnregistered: Bool) throws {
    var session = session(identity, mustRegister: mustRegister)
    let effects = try session.receive(.hello(uaid: uaid, status: 200))
    _ = try registered(effects)
    #expect(effects.first == .say(.unregister(channelID: "channel")) || !isUnregistered)
    #expect(effects.count == (isUnregistered ? 2 : 1))
  }

  @Test("an identity of another service is none") func elsewhere() {
    #expect(session(Self.identity(service: "https://h/")).greeting == .hello(uaid: nil))
    // A refusal names nobody.
    let refusal = AutopushEvent.parse(Array(#"{"messageType":"hello","status":503}"#.utf8))
    #expect(refusal == .hello(uaid: "", status: 503))
    #expect(AutopushEvent.parse(Array(#"{"messageType":"hello","status":200}"#.utf8)) == nil)
  }

  @Test(
    "refusals end it, for good where nothing will change",
    arguments: [
      (400, endpoint, true), (409, endpoint, true), (500, endpoint, false),
      (200, "http://e.example.net/x", true),
      (200, "https://user@e.example.net/x", true), (200, "https://other.example.net/x", true),
      (200, "", true),
    ])
  func refusals(status: Int, endpoint: String, isFinal: Bool) throws {
    var session = session(nil)
    let channelID = try registered(try session.receive(.hello(uaid: "new", status: 200)))
    let loss = #expect(throws: SubscriptionLoss.self) {
      try session.receive(.registered(channelID: channelID, status: status, endpoint: endpoint))
    }
    #expect(loss?.isRefusal == isFinal)
    #expect(loss?.reason.contains("/x") == false)
  }

  @Test("notifications are decrypted; those of other channels and damaged ones are told from them")
  func notifications() throws {
    let identity = Self.identity()
    var session = session(identity)
    func notification(_ channelID: String, _ body: [UInt8]) -> AutopushEvent.Notification {
      AutopushEvent.Notification(channelID: channelID, version: "v", body: body)
    }
    let early = notification("channel", [])
    #expect(
      try session.receive(.notification(early)) == [.say(.acknowledge([early.acknowledgment(.notDelivered)]))]
    )
    _ = try session.receive(.hello(uaid: "known", status: 200))
    let provider = try WebPushProvider(subscription: try #require(identity.subscription), authorization: nil)
    var generator = SystemRandomNumberGenerator()
    let id = NotificationID(
      run: RunID(at: WallTime(microseconds: 0), using: &generator),
      sample: SampleID(target: TargetID(rawValue: 1), sequence: 1))
    let body = provider.request(for: PushNotification(id: id, plannedAt: WallTime(microseconds: 0))).body
    let good = notification("channel", body)
    guard case .received(good, let plaintext?)? = try session.receive(.notification(good)).first else {
      return #expect(Bool(false))
    }
    #expect(PayloadMember.ticket(in: plaintext)?.id == id)
    let bad = notification("channel", Array(body.dropLast()))
    #expect(try session.receive(.notification(bad)) == [.received(bad, plaintext: nil)])
    let stray = notification("other", body)
    #expect(
      try session.receive(.notification(stray)) == [.say(.acknowledge([stray.acknowledgment(.notDelivered)]))]
    )
  }

  @Test("a copy is known until its first is stored, and afterwards; what could not be stored is new again")
  func deliveries() {
    var deliveries = AutopushDeliveries()
    #expect(deliveries.receive("a") == .new && deliveries.receive("a") == .waiting)
    deliveries.record("a", isStored: true)
    #expect(deliveries.receive("a") == .stored)
    #expect(deliveries.receive("b") == .new)
    deliveries.record("b", isStored: false)
    #expect(deliveries.receive("b") == .new)
    for number in 0...2 * AutopushDeliveries.capacity { #expect(deliveries.receive("\(number)") == .new) }
    #expect(deliveries.receive("a") == .new, "it is long ago")
  }

  @Test(
    "messages as the service writes them, and as we do",
    arguments: [
      (
        #"{"messageType":"hello","uaid":"u","status":200,"use_webpush":true,"broadcasts":{}}"#,
        .hello(uaid: "u", status: 200)
      ),
      (
        #"{"messageType":"register","channelID":"c","status":400,"pushEndpoint":"why"}"#,
        .registered(channelID: "c", status: 400, endpoint: "why")
      ),
      (
        #"{"messageType":"notification","channelID":"c","version":"v","data":"AQI","headers":{"encoding":"aes128gcm"}}"#,
        .notification(.init(channelID: "c", version: "v", body: [1, 2]))
      ),
      (
        #"{"messageType":"notification","channelID":"c","version":"v"}"#,
        .notification(.init(channelID: "c", version: "v", body: []))
      ),
      (
        #"{"messageType":"notification","channelID":"c","version":"v","data":"AQI","headers":{"encoding":"aesgcm"}}"#,
        .notification(.init(channelID: "c", version: "v", body: []))
      ),
      (#"{"messageType":"broadcast","broadcasts":{}}"#, .other), ("{}", .other),
      (#"{"messageType":"hello","uaid":"a b","status":200}"#, nil), (#"{"messageType":"hello"}"#, nil),
      (#"{"messageType":"notification","channelID":"c"}"#, nil), ("[]", nil), ("", nil),
      (#"{"messageType":"hello","uaid":5}"#, nil),
    ] as [(String, AutopushEvent?)])
  func messages(text: String, event: AutopushEvent?) {
    #expect(AutopushEvent.parse(Array(text.utf8)) == event)
  }

  @Test("requests say nothing that is not needed") func requests() {
    #expect(
      AutopushRequest.hello(uaid: nil).text == #"{"broadcasts":{},"messageType":"hello","use_webpush":true}"#)
    #expect(
      AutopushRequest.register(channelID: "c", key: "k").text
        == #"{"channelID":"c","key":"k","messageType":"register"}"#)
    #expect(
      AutopushRequest.acknowledge([.init(channelID: "c", version: "v", outcome: .delivered)]).text
        == #"{"messageType":"ack","updates":[{"channelID":"c","code":100,"version":"v"}]}"#)
  }
}
