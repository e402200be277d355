import Testing

@testable import Configuration

@Suite struct TargetLocationsTests {
  private let places = TargetLocations(
    target: FilePosition(file: "f", line: 1, column: 5),
    keys: [
      "topic": FilePosition(file: "f", line: 2, column: 9),
      "device_token": FilePosition(file: "f", line: 3, column: 9),
      "credentials.signing_key_file": FilePosition(file: "f", line: 4, column: 9),
    ])

  @Test(arguments: [
    ("topic", 2), ("device_token", 3), ("device_token_file", 3), ("signing_key", 4), ("signing_key_file", 4),
    ("vapid_key", 1), ("credentials", 1),
  ])
  func aSettingIsFoundAsItIsWritten(setting: String, line: Int) {
    #expect(places.place(of: setting)?.line == line)
  }

  @Test func nowhereWithoutAFile() {
    #expect(TargetLocations().place(of: "topic") == nil)
  }
}
