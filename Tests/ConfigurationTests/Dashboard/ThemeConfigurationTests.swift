import Foundation
import TestKit
import Testing

@testable import Configuration

@Suite("Themes from files") struct ThemeConfigurationTests {
  private static func load(_ text: String, name: String = "mine.yaml") throws -> ThemeConfiguration {
    let directory = try TemporaryDirectory()
    return try ThemeConfiguration.load(path: directory.write(name, text))
  }

  @Test("replace colors of a built-in one")
  func read() throws {
    let theme = try Self.load(
      """
      base: light
      colours: { text: "#010203", active-tab: "aAbBcC" }
      targets: [{ sparse: "#000000", dense: "#ffffff" }]
      """)
    #expect(theme.name == "mine" && theme.base == .light)
    #expect(
      theme.colors == [
        .text: ThemeConfiguration.RGB(red: 1, green: 2, blue: 3),
        .activeTab: ThemeConfiguration.RGB(red: 0xAA, green: 0xBB, blue: 0xCC),
      ])
    #expect(theme.targets.count == 1)
  }

  @Test(
    "mistakes have their place",
    arguments: [
      ("colours: { txt: \"#010203\" }", "did you mean \"text\"?"),
      ("colours: { text: red }", "six hexadecimal digits"), ("colours:\n  text: #010203", "has no value"),
      ("base: drk", "did you mean \"dark\"?"), ("targets: [{ sparse: \"#000000\" }]", "dense"),
      ("colors: {}", "did you mean \"colours\"?"),
    ])
  func mistakes(text: String, words: String) {
    let error = #expect(throws: ConfigurationError.self) { try Self.load(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    #expect(error?.problems.allSatisfy { $0.place.line != nil } == true)
  }

  @Test("those that are shipped are right")
  func shipped() throws {
    let directory = URL(fileURLWithPath: Programs.repository + "/config/themes")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(files.count >= 2)
    for file in files {
      let theme = try ThemeConfiguration.load(path: directory.appendingPathComponent(file).path)
      #expect(file == "\(theme.name).yaml" && !theme.colors.isEmpty)
    }
  }
}
