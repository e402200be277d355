import Measurement
import NIOCore
import Providers
import Testing

@testable import LoopbackService

@Suite struct PayloadReaderTests {
  private func read(_ text: String) -> PayloadReader.Receipt? {
    PayloadReader.read(ByteBuffer(string: text))?.receipt
  }

  @Test func readsWhatTheProviderWrites() {
    let sample = SampleID(target: TargetID(rawValue: 3), sequence: 9)
    var generator = SystemRandomNumberGenerator()
    let id = NotificationID(
      run: RunID(at: WallTime(microseconds: 1_700_000_000_000_000), using: &generator), sample: sample)
    let mac = String(repeating: "a-_Z", count: 10) + "xyz"
    let request = LoopbackProvider(origin: "https://127.0.0.1:1").request(
      for: PushNotification(id: id, mac: mac, plannedAt: WallTime(microseconds: 5_000_000)))
    let receipt = PayloadReader.read(ByteBuffer(bytes: request.body))?.receipt
    #expect(receipt == PayloadReader.Receipt(id: id.description, mac: mac))
  }

  @Test(arguments: [
    "{}", "{\"pushscope\":1}", "{\"pushscope\":{\"v\":1}}",
    "{\"pushscope\":{\"v\":2,\"id\":\"a\",\"mac\":\"b\"}}",
    "{\"pushscope\":{\"v\":1,\"id\":\"a\\\"b\",\"mac\":\"b\"}}",
    "{\"pushscope\":{\"v\":1,\"id\":\"\",\"mac\":\"b\"}}",
    "{\"pushscope\":{\"v\":1,\"id\":7,\"mac\":\"b\"}}",
    "{\"pushscope\":{\"v\":1,\"id\":\"a\",\"mac\":\"\\u0000\"}}",
  ])
  func isSilentAboutPayloadsOfOthers(text: String) {
    #expect(PayloadReader.read(ByteBuffer(string: text)) == PayloadReader.Contents(receipt: nil))
  }

  @Test func takesNothingForAPayloadThatIsNone() {
    #expect(PayloadReader.read(ByteBuffer(string: String(repeating: "[", count: 4000))) == nil)
    #expect(PayloadReader.read(ByteBuffer(bytes: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])) == nil)
  }

  @Test func findsTheMemberAmongOthers() {
    let text =
      #"{"aps":{"alert":{"title":"x \" } y"}},"pushscope":{"at":1,"mac":"m","x":[1,{}],"id":"i","v":1},"z":null}"#
    #expect(read(text) == PayloadReader.Receipt(id: "i", mac: "m"))
  }
}
