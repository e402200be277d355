import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// Web Push through a real push service to a real device: Prosody's UnifiedPush relays the encrypted message to an XMPP client,
/// which decrypts it with http-ece and acknowledges it; only then does Prosody answer.
@Suite(
  .ownThread, .serialized,
  .enabled(if: Tool.hasProsody, "prosody with mod_unified_push, or python3 with http-ece, is not installed"),
  .timeLimit(.minutes(10)))
struct ProsodyTests {
  @Test func pushedDecryptedAndAcknowledged() throws {
    let (server, subscription) = try ServerProcess.prosody()
    let run = TransportRun()
    var target = try TransportRun.target("http://127.0.0.1:\(server.port)/", rate: 50, count: 30, caFile: nil)
    let pushed = try PushSubscription(json: subscription)
    target.providers = [
      try WebPushProvider(subscription: pushed, authorization: nil),
      try WebPushProvider(subscription: pushed, payloadBytes: 4096, authorization: nil),
    ]
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 30, "\(seen.answered.values.map(\.status)) \(seen.failed)")
    #expect(seen.answered.values.allSatisfy { $0.status == 201 })
    #expect(Set(seen.sent.values.map(\.payloadBytes)).contains(4096))
    _ = server.numbers(after: "push", atLeast: 30)
    let heard = server.lines.filter { $0.hasPrefix("push ") }.compactMap {
      NotificationID(String($0.dropFirst(5)))
    }
    #expect(Set(heard.map(\.sample)) == Set(seen.sent.keys))
    #expect(heard.count == 30)
    #expect(!server.lines.contains { $0.hasPrefix("undecipherable") })
  }
}
