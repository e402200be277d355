import Foundation
import Measurement
import TestKit
import Testing

@testable import Configuration

@Suite("The dashboard's section") struct DashboardConfigurationTests {
  private static func load(_ text: String) throws -> DashboardConfiguration {
    let directory = try TemporaryDirectory()
    let file = try directory.write("pushscope.yaml", text)
    return try DashboardConfiguration.load(path: file, environment: ["THEME": "light"])
  }

  private static func problems(_ text: String) -> [ConfigurationProblem] {
    do throws(ConfigurationError) {
      let directory = try? TemporaryDirectory()
      guard let file = try? directory?.write("pushscope.yaml", text) else { return [] }
      _ = try DashboardConfiguration.load(path: file, environment: [:])
      return []
    } catch {
      return error.problems
    }
  }

  @Test("everything in it is read, and it stands beside targets that need not be right")
  func everything() throws {
    let section = try Self.load(
      """
      targets: [{ nonsense: true }]
      dashboard:
        theme: ${THEME}
        motion: basic
        slides: vertical
        arrangement: beside
        ascii: true
        mouse: false
        threshold: 250ms
        keys:
          quit: [ctrl-x, Q]
          go-to: "/"
          histogram: 7
          freeze: space
          leap-back: shift-left
          zoom-in: []
      """)
    #expect(section.theme == "light" && section.motion == .basic && section.slides == .vertical)
    #expect(section.arrangement == .beside && section.ascii && !section.mouse)
    #expect(section.threshold == .milliseconds(250))
    #expect(
      section.keys == [
        .quit: [KeyChord(.character("x"), hasControl: true), KeyChord(.character("Q"))],
        .goTo: [KeyChord(.character("/"))], .histogram: [KeyChord(.character("7"))],
        .freeze: [KeyChord(.character(" "))], .leapBack: [KeyChord(.left, hasShift: true)], .zoomIn: [],
      ])
  }

  @Test("without it everything is as built in")
  func absent() throws {
    var section = try Self.load("targets: []")
    #expect(section.themeDirectories.count == 1 && section.themeDirectories[0].hasSuffix("/themes"))
    section.themeDirectories = []
    #expect(section == DashboardConfiguration())
  }

  @Test(
    "mistakes are named with their place and the nearest word",
    arguments: [
      ("dashboard:\n  thme: dark", 2, 3, "thme", "did you mean \"theme\"?"),
      ("dashboard:\n  keys:\n    quitt: q", 3, 5, "keys.quitt", "did you mean \"quit\"?"),
      ("dashboard:\n  keys: { quit: pagedown }", 2, 17, "keys.quit", "did you mean \"page-down\"?"),
      ("dashboard:\n  keys: { quit: ctrl-1 }", 2, 17, "keys.quit", "ctrl-a to ctrl-z"),
      ("dashboard:\n  keys: { quit: x, help: x }", 2, 26, "keys.help", "give each key to one action only"),
      ("dashboard:\n  motion: som", 2, 11, "motion", "full, basic, none"),
      ("dashboard:\n  slides: upwards", 2, 11, "slides", "horizontal, vertical"),
      ("dashboard:\n  threshold: 0s", 2, 14, "threshold", "write a duration from"),
      ("dashboard:\n  ascii: maybe", 2, 10, "ascii", "write true or false"),
    ] as [(String, Int, Int, String, String)])
  func mistakes(text: String, line: Int, column: Int, key: String, remedy: String) throws {
    let problems = Self.problems(text)
    let problem = try #require(problems.first)
    #expect(problem.place.line == line && problem.place.column == column, "\(problem)")
    #expect(problem.key.hasSuffix(key) && problem.description.contains(remedy), "\(problem)")
  }

  @Test("a theme's file is looked for beside the configuration")
  func themePaths() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("pushscope.yaml", "dashboard: { theme: mine/x.yaml }")
    let section = try DashboardConfiguration.load(path: file, environment: [:])
    #expect(section.theme == directory.path + "/mine/x.yaml")
    #expect(
      ThemeFinder.candidates(for: "amber", in: ["/a", "/b"])
        == ["/a/amber.yaml", "/a/amber.yml", "/b/amber.yaml", "/b/amber.yml"])
    #expect(ThemeFinder.candidates(for: "../amber", in: ["/a"]).isEmpty)
    #expect(ThemeFinder.candidates(for: ".hidden", in: ["/a"]).isEmpty)
  }
}
