import Measurement
import Testing

@Suite struct LoopbackDeviceTests {
  @Test(arguments: ["a", "phone", "Pixel_8.test-1", String(repeating: "x", count: 64)])
  func aNameComesBackFromItsToken(name: String) {
    let token = LoopbackDevice.token(of: name)
    #expect(APNsDialect.isDeviceToken(token))
    #expect(LoopbackDevice.name(of: token) == name)
    #expect(LoopbackDevice.name(of: token.uppercased()) == name)
  }

  @Test func tokensOfRealDevicesHaveNoName() {
    for token in [
      String(repeating: "70757368", count: 8), String(repeating: "ab", count: 80), "", "7068",
      String(LoopbackDevice.token(of: "phone").dropLast(2)), String(repeating: "0", count: 130),
      String(repeating: "20", count: 65), String(repeating: "zz", count: 65),
    ] {
      #expect(LoopbackDevice.name(of: token) == nil, "\(token)")
    }
  }

  @Test func namesAreThoseOfTargets() {
    #expect(LoopbackDevice.isName("a.b-c_1"))
    for name in ["", "my phone", "a/b", "ä", String(repeating: "x", count: 65)] {
      #expect(!LoopbackDevice.isName(name))
    }
  }
}
