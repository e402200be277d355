import Foundation
import Measurement
import TestKit
import Testing

@testable import Configuration

/// Configurations and scenarios may be damaged or malicious: they are read, or refused in bounded and harmless words.
@Suite struct FuzzTests {
  private static let root = URL(fileURLWithPath: Programs.repository)

  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "- ", "&a ", "*a", "!!int ", "!!binary ", "|", ">", "\"", "'", "#", "---",
    "\n", "\t", "? ",
    "<<: *a", "${HOME}", "${", "\u{1B}[2J", "\u{202E}", "\u{0}", "99999999999999999999999", "-1", "1e400",
    "0x1F", ".nan", "~",
    "true", "\\x1b", "\\u202E", "é", "日本", "../../etc/passwd", "10%", "30s", "4/s",
  ]

  /// The text with a few bytes or pieces put in, taken out or doubled.
  private func damaged(_ text: String, _ generator: inout SeededGenerator) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...scalars.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        scalars.insert(
          contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").unicodeScalars, at: place)
      case 1:
        let end = min(scalars.count, place + Int.random(in: 0...30, using: &generator))
        scalars.removeSubrange(place..<end)
      case 2:
        let end = min(scalars.count, place + Int.random(in: 0...60, using: &generator))
        scalars.insert(contentsOf: scalars[place..<end], at: place)
      default:
        if place < scalars.count {
          scalars[place] = Unicode.Scalar(UInt8.random(in: 0...127, using: &generator))
        }
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private func expectHarmless(_ error: ConfigurationError) {
    #expect(error.problems.count <= 100)
    for problem in error.problems {
      let text = problem.message + problem.remedy
      #expect(text.unicodeScalars.count < 2000)
      #expect(!text.unicodeScalars.contains(where: EscapedText.isHarmful), "\(text.debugDescription)")
    }
  }

  @Test(arguments: 1...6) func damagedConfigurations(seed: UInt64) throws {
    let example = try String(
      contentsOf: Self.root.appendingPathComponent("config/pushscope.yaml"), encoding: .utf8)
    let directory = try populatedDirectory()
    let file = directory.path + "/fuzz.yaml"
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let text = damaged(example, &generator)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      do throws(ConfigurationError) {
        _ = try PushscopeConfiguration.load(path: file, environment: ["HOME": "/h\u{1B}"])
      } catch {
        expectHarmless(error)
      }
    }
  }

  @Test func damagedScenarios() throws {
    var generator = SeededGenerator(seed: 8)
    for name in try ScenarioTests.files() {
      let text = try String(
        contentsOf: Self.root.appendingPathComponent("config/scenarios/\(name)"), encoding: .utf8)
      for _ in 0..<60 {
        do throws(ConfigurationError) {
          _ = try Scenario.parse(
            damaged(text, &generator), file: "s.yaml", reasons: ScenarioTests.reasons)
        } catch {
          expectHarmless(error)
        }
      }
    }
  }

  @Test func bytesThatAreNoText() throws {
    let directory = try populatedDirectory()
    let file = directory.path + "/fuzz.yaml"
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      do throws(ConfigurationError) {
        _ = try PushscopeConfiguration.load(path: file, environment: [:])
        Issue.record("noise is no configuration")
      } catch {
        expectHarmless(error)
      }
    }
  }

  @Test func values() {
    var generator = SeededGenerator(seed: 10)
    let alphabet = Array("0123456789.smhd/u-+:%eE \u{1B}\u{202E}é٣[]@")
    for _ in 0..<30_000 {
      let text = String(
        (0..<Int.random(in: 0...14, using: &generator)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        })
      func check(_ parse: () throws(ValueTextError) -> Void) {
        do throws(ValueTextError) {
          try parse()
        } catch {
          #expect(!error.message.unicodeScalars.contains(where: EscapedText.isHarmful))
          #expect(error.message.unicodeScalars.count < 600)
        }
      }
      check { () throws(ValueTextError) in _ = try DurationText.parse(text) }
      check { () throws(ValueTextError) in _ = try RateText.parse(text) }
      check { () throws(ValueTextError) in _ = try TimeText.parse(text, now: WallTime(microseconds: 0)) }
      check { () throws(ValueTextError) in _ = try Endpoint.parse("https://" + text) }
      check { () throws(ValueTextError) in _ = try ListenAddress.parse(text) }
      check { () throws(ValueTextError) in _ = try StatusRanges.parse(text) }
    }
  }
}
