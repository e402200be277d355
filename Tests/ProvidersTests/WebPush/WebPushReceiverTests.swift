import Cryptography
import Foundation
import TestKit
import TestTraits
import Testing

@testable import Providers

@Suite("The receiving half of a push subscription") struct WebPushReceiverTests {
  /// RFC 8291, section 5 and appendix A.
  private static let body =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
    + "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

  private func receiver() throws -> WebPushReceiver {
    let key = try #require(Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
    let secret = try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"))
    return WebPushReceiver(privateKey: try P256.PrivateKey(rawRepresentation: key), secret: secret)
  }

  @Test("the standard's example") func example() throws {
    let body = try #require(Base64URL.decode(Self.body))
    let plaintext = try #require(try receiver().open(body))
    #expect(String(decoding: plaintext, as: UTF8.self) == "When I grow up, I want to be a watermelon")
  }

  @Test("nothing that was touched, cut or has more than one record") func touched() throws {
    let body = try #require(Base64URL.decode(Self.body))
    let receiver = try receiver()
    for index in body.indices {
      var changed = body
      changed[index] ^= 1
      // The record's size is no part of what is authenticated (RFC 8188, section 2.1): any that the record fits into does.
      let size = changed[16..<20].reduce(0) { $0 << 8 | Int($1) }
      let isSize = (16..<20).contains(index) && size >= body.count - 86
      #expect((receiver.open(changed) != nil) == isSize, "byte \(index)")
    }
    var small = body
    small[18] = 0
    small[19] = 17
    #expect(receiver.open(small) == nil)
    for count in body.indices { #expect(receiver.open(Array(body.prefix(count))) == nil) }
    #expect(receiver.open(body + [0]) == nil)
  }

  @Test("what another program encrypts for our keys", .ownThread, .enabled(if: Python.has("http_ece")))
  func otherSender() throws {
    let receiver = WebPushReceiver.random()
    let script = """
      import base64, json, os, sys, http_ece
      from cryptography.hazmat.primitives.asymmetric import ec
      point, auth = (base64.urlsafe_b64decode(text + '=' * (-len(text) % 4)) for text in sys.argv[1:3])
      bodies = [http_ece.encrypt(bytes([n % 256]) * n, private_key=ec.generate_private_key(ec.SECP256R1()), dh=point,
                                 auth_secret=auth, version='aes128gcm', rs=4096) for n in (1, 100, 3000)]
      print(json.dumps([base64.b64encode(body).decode() for body in bodies]))
      """
    let output = try Python.run(
      script,
      arguments: [
        Base64URL.encode(receiver.privateKey.publicKey.x963Representation), Base64URL.encode(receiver.secret),
      ])
    let bodies = try JSONDecoder().decode([Data].self, from: Data(output.utf8))
    #expect(bodies.count == 3)
    for (body, count) in zip(bodies, [1, 100, 3000]) {
      #expect(receiver.open(Array(body)) == [UInt8](repeating: UInt8(count % 256), count: count))
    }
  }

  @Test("an identity is read as it was written, and its subscription is what the receiver opens")
  func identity() throws {
    let receiver = WebPushReceiver.random()
    var identity = AutopushIdentity(
      service: "https://push.example.net/", uaid: "abc", channelID: "c",
      endpoint: "https://e.example.net/wpush/v2/t",
      senderKey: "key", receiver: receiver)
    #expect(AutopushIdentity(json: Array(identity.json.utf8)) == identity)
    let provider = try WebPushProvider(
      subscription: try #require(identity.subscription), authorization: nil)
    let request = provider.request(for: Probes.notification())
    #expect(request.url == identity.endpoint)
    let opened = try #require(identity.receiver)
    let plaintext = try #require(opened.open(request.body))
    #expect(PayloadMember.ticket(in: plaintext)?.id == Probes.notification().id)
    var dumped = "\(identity)"
    dump(identity, to: &dumped)
    #expect(!dumped.contains("wpush") && !dumped.contains("abc"))
    identity.endpoint = "http://e.example.net/"
    #expect(AutopushIdentity(json: Array(identity.json.utf8)) == nil)
    for text in ["", "{}", "[]", "{\"version\":1}"] {
      #expect(AutopushIdentity(json: Array(text.utf8)) == nil)
    }
  }

  @Test("another subscription gets the same message, with a time to live that may be longer") func addressed()
    throws
  {
    let provider = try WebPushProvider(
      subscription: .placeholder(at: "https://e.example.net"), ttl: .seconds(5), authorization: nil)
    #expect(provider.request(for: Probes.notification()).url == "https://e.example.net/")
    var other = PushSubscription.placeholder(at: "https://e.example.net")
    other.endpoint += "x"
    let request = provider.addressed(to: other).request(for: Probes.notification())
    #expect(request.url == "https://e.example.net/x" && request.header("ttl") == "5")
    let kept = provider.addressed(to: other, leastTTL: .seconds(30)).request(for: Probes.notification())
    #expect(kept.header("ttl") == "30" && kept.headers.count == request.headers.count)
    #expect(
      provider.addressed(to: other, leastTTL: .seconds(1)).request(for: Probes.notification()).header("ttl")
        == "5")
  }
}
