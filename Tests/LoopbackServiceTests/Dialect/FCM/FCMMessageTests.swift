import Foundation
import Testing

@testable import LoopbackService

@Suite struct FCMMessageTests {
  private func field(_ json: String) -> String? {
    do throws(FCMMessage.Violation) {
      _ = try FCMMessage(Data(json.utf8), device: "device:token")
      return nil
    } catch {
      return error.isUnregistered ? "unregistered" : error.field
    }
  }

  @Test(arguments: [
    #"{"message":{"token":"device:token"}}"#,
    #"{"message":{"fid":"device","data":{"a":"b"}}}"#,
    #"{"validate_only":true,"message":{"token":"device:token","data":{"a":"b"}}}"#,
    #"{"validateOnly":false,"message":{"fid":"device","android":{"ttl":"3.5s","collapseKey":"k"}}}"#,
    #"{"message":{"topic":"news","notification":{"title":"t","body":"b"},"apns":{},"webpush":{}}}"#,
    #"{"message":{"token":"device:token","android":{"priority":"HIGH","ttl":"2419200s"}}}"#,
  ])
  func takesWhatGoogleTakes(json: String) { #expect(field(json) == nil) }

  @Test(arguments: [
    ("[]", ""), ("{", ""), ("{}", "message"), (#"{"message":{}}"#, "message"),
    (#"{"message":{"token":"device:token","topic":"x"}}"#, "message"),
    (#"{"massage":{}}"#, ""), (#"{"message":{"token":"device:token","sound":"x"}}"#, "message"),
    (#"{"validate_only":"yes","message":{"token":"device:token"}}"#, "validate_only"),
    (#"{"message":{"token":"device:token","data":{"n":1}}}"#, #"message.data["n"]"#),
    (#"{"message":{"token":"device:token","data":{"from":"x"}}}"#, #"message.data["from"]"#),
    (#"{"message":{"token":"device:token","data":{"google.x":"x"}}}"#, #"message.data["google.x"]"#),
    (#"{"message":{"token":"device:token","android":{"priority":"urgent"}}}"#, "message.android.priority"),
    (#"{"message":{"token":"device:token","android":{"ttl":"60"}}}"#, "message.android.ttl"),
    (#"{"message":{"token":"device:token","android":{"ttl":"2419201s"}}}"#, "message.android.ttl"),
    (#"{"message":{"token":"device:token","android":{"ttl":-1}}}"#, "message.android.ttl"),
    (#"{"message":{"token":"other"}}"#, "message.token"), (#"{"message":{"fid":"other"}}"#, "message.fid"),
    (#"{"message":{"fid":"device:token"}}"#, "message.fid"),
    (#"{"message":{"fid":"device","token":"device:token"}}"#, "message"),
    (#"{"message":{"fid":"abcdefghijklmnopqrstuv"}}"#, "unregistered"),
  ])
  func namesTheFieldAtFault(json: String, expected: String) { #expect(field(json) == expected) }

  @Test func boundsTheDataAndKnowsItsDevice() {
    func data(_ bytes: Int, to receiver: String = #""token":"device:token""#) -> String {
      #"{"message":{\#(receiver),"data":{"k":"\#(String(repeating: "x", count: bytes - 1))"}}}"#
    }
    #expect(field(data(4096)) == nil)
    #expect(field(data(4097)) == "")
    #expect(field(data(2049, to: #""topic":"t""#)) == "")
    #expect(field(#"{"message":{"token":"\#(String(repeating: "a", count: 140))"}}"#) == "unregistered")
  }
}
