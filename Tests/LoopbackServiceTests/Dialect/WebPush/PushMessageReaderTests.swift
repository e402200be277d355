import Cryptography
import Foundation
import Testing

@testable import LoopbackService

@Suite struct PushMessageReaderTests {
  /// RFC 8291, section 5 and appendix A.
  private static let body =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
    + "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

  private func reader() throws -> PushMessageReader {
    let key = try #require(Base64URLText.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
    let secret = try #require(Base64URLText.decode("BTBZMqHH6r4Tts7J_aSIgg"))
    return PushMessageReader(
      privateKey: try P256.PrivateKey(rawRepresentation: Array(key)), secret: Array(secret))
  }

  @Test func opensTheStandardsExample() throws {
    let body = try #require(Base64URLText.decode(Self.body))
    let plain = try #require(try reader().open(body))
    #expect(String(decoding: plain, as: UTF8.self) == "When I grow up, I want to be a watermelon")
  }

  @Test func opensNothingThatWasTouched() throws {
    let body = try #require(Base64URLText.decode(Self.body))
    let reader = try reader()
    for index in [0, 20, 30, 90, body.count - 1] {
      var changed = body
      changed[index] ^= 1
      #expect(reader.open(changed) == nil, "byte \(index)")
    }
    var small = body
    small[18] = 0
    small[19] = 17
    #expect(reader.open(small) == nil, "more than one record")
    for count in [0, 1, 85, 86, 102, body.count - 1] { #expect(reader.open(body.prefix(count)) == nil) }
  }
}
