import Cryptography
import Testing

@testable import Configuration
@testable import LoopbackService

/// What is kept for user agents, without connections.
@Suite("What the push service keeps for user agents") struct AutopushSubscriptionsTests {
  private func subscriptions(_ behavior: AgentBehavior = AgentBehavior()) -> AutopushSubscriptions {
    var subscriptions = AutopushSubscriptions(behavior)
    let isRegistered = subscriptions.register(
      AutopushSubscriptions.Subscription(uaid: "a", channelID: "c", key: nil), token: "t")
    #expect(isRegistered)
    return subscriptions
  }

  private func notification(_ version: Int, ttl: Int = 60, topic: String? = nil) -> AutopushNotification {
    AutopushNotification(token: "t", channelID: "c", version: "\(version)", topic: topic, ttl: ttl)
  }

  @Test("what is not acknowledged comes again, ten at a time") func batches() {
    var kept = subscriptions()
    for number in 0..<25 {
      let isForgotten = kept.accept(notification(number), isConnected: false, at: 0)
      #expect(!isForgotten)
    }
    kept.connect("a")
    let first = kept.nextBatch(of: "a", at: 1).map(\.version)
    #expect(first == (0..<10).map(String.init))
    let none = kept.nextBatch(of: "a", at: 1)
    #expect(none.isEmpty, "the batch is not acknowledged")
    kept.acknowledge(Array(first.dropLast()), by: "a")
    let stillNone = kept.nextBatch(of: "a", at: 1)
    #expect(stillNone.isEmpty)
    kept.connect("a")
    let again = kept.nextBatch(of: "a", at: 1).map(\.version)
    #expect(again == (9..<19).map(String.init))
    kept.acknowledge(again, by: "a")
    let last = kept.nextBatch(of: "a", at: 1).map(\.version)
    #expect(last == (19..<25).map(String.init))
  }

  @Test("time to live, topics and the limit") func limits() {
    var kept = subscriptions(AgentBehavior(stored: 3))
    _ = kept.accept(notification(1, ttl: 0), isConnected: false, at: 0)
    _ = kept.accept(notification(2, ttl: 10), isConnected: false, at: 0)
    _ = kept.accept(notification(3, topic: "x"), isConnected: false, at: 0)
    _ = kept.accept(notification(4, topic: "x"), isConnected: false, at: 0)
    let left = kept.nextBatch(of: "a", at: 10).map(\.version)
    #expect(left == ["4"])
    for number in 5..<7 {
      let isForgotten = kept.accept(notification(number), isConnected: false, at: 20)
      #expect(!isForgotten)
    }
    let isForgotten = kept.accept(notification(7), isConnected: false, at: 20)
    #expect(isForgotten && !kept.knows("a") && kept.hasEnded("t") && kept.subscription("t") == nil)
  }

  @Test("an endpoint ends with its channel") func unregister() {
    var kept = subscriptions()
    _ = kept.register(AutopushSubscriptions.Subscription(uaid: "a", channelID: "d", key: nil), token: "u")
    kept.unregister("c", of: "a")
    #expect(kept.hasEnded("t") && !kept.hasEnded("u") && kept.subscription("u")?.channelID == "d")
    kept.unregister("never", of: "nobody")
  }

  @Test(
    "messages of user agents",
    arguments: [
      (
        #"{"messageType":"hello","uaid":"","channelIDs":[],"use_webpush":true}"#,
        AutopushRequest.hello(uaid: "")
      ),
      (#"{"messageType":"hello"}"#, .hello(uaid: nil)),
      (
        #"{"messageType":"register","channelID":"c","key":"k","more":{}}"#,
        .register(channelID: "c", key: "k")
      ),
      (#"{"messageType":"unregister","channelID":"c","code":200}"#, .unregister(channelID: "c")),
      (
        #"{"messageType":"ack","updates":[{"channelID":"c","version":"1","code":100},{"version":"2"}]}"#,
        .ack(versions: ["1", "2"])
      ),
      ("{}", .ping), (#"{"messageType":"ping"}"#, .ping),
      (#"{"messageType":"nack","version":"1","code":302}"#, .ignored),
      (#"{"messageType":"broadcast_subscribe","broadcasts":{}}"#, .ignored),
      (#"{"messageType":"register"}"#, nil), (#"{"messageType":"ack","updates":[1]}"#, nil), ("[]", nil),
      ("", nil), (#"{"messageType":"other"}"#, nil),
    ] as [(String, AutopushRequest?)])
  func messages(text: String, request: AutopushRequest?) { #expect(AutopushRequest(text) == request) }
}
