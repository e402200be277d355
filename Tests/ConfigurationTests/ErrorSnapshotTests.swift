import Foundation
import TestKit
import Testing

@testable import Configuration

/// Every error text of the configuration, letter by letter. `RECORD_SNAPSHOTS=1` writes them anew.
@Suite struct ErrorSnapshotTests {
  /// Values that are wrong for some kind of key.
  private static let values = [
    "zzz", "[]", "[zzz, zzz]", "[1, 1]", "{ zzz: 1 }", "{}", "-1", "0", "1", "7", "999999999", "1ns", "1s",
    "9d",
    "99999d", "200%", "0%", "1kB", "''", "'a b'", "~", "'${NO}'", "'${'", "'${HOOK}'", "no.file",
    "open.secret",
    "short.secret", "loopback", "0.0.0.0:1", "http://h", "'http://h?a#b'", "https://h/path", "'${LONG}'",
    "\"\\u0007\"",
  ]
  private static let environment = ["HOOK": "hook", "LONG": String(repeating: "a", count: 5000)]

  /// The problems of a text, without the directory's name.
  private func problems(_ text: String, in directory: String) -> [ConfigurationProblem] {
    do throws(ConfigurationError) {
      _ = try YAMLFile.parse(text, file: "c.yaml", directory: directory, environment: Self.environment) {
        PushscopeConfiguration($0, file: "c.yaml")
      }
      return []
    } catch {
      return error.problems.map { problem in
        var problem = problem
        problem.message = problem.message.replacing(directory + "/", with: "")
        problem.remedy = problem.remedy.replacing(directory + "/", with: "")
        return problem
      }
    }
  }

  /// Message and remedy of every problem that a key's values have. "…" stands for the value.
  private func texts(of key: String, in directory: String, at place: (String) -> String) -> Set<String> {
    var texts: Set<String> = []
    for value in Self.values {
      for problem in problems(place("\(key): \(value)"), in: directory)
      where problem.key.split(separator: ".").contains(where: { $0.prefix { $0 != "[" } == key }) {
        let message = problem.message.replacing("\"\(value)\"", with: "\"…\"")
        texts.insert("\(message); \(problem.remedy)")
      }
    }
    return texts
  }

  @Test func everyErrorText() throws {
    let directory = try populatedDirectory()
    var keys: [String: [String]] = [:]
    var lines: [String] = []
    for (section, place) in Reference.places.sorted(by: { $0.key < $1.key }) {
      lines.append(section)
      lines += problems(place("zzz: 1"), in: directory.path).map { "  \($0)" }
      for row in Reference.tables[section] ?? [] {
        for text in texts(of: row.key, in: directory.path, at: place) {
          keys[text, default: []].append("\(section).\(row.key)")
        }
      }
    }
    for (text, keys) in keys.sorted(by: { $0.key < $1.key }) {
      lines += [text, "  " + keys.sorted().joined(separator: " ")]
    }
    for mistake in ConfigurationErrorTests.mistakes {
      lines.append(mistake.text.trimmingCharacters(in: .newlines))
      lines += problems(mistake.text, in: directory.path).map { "  \($0)" }
    }
    try RecordedText.expect(
      lines.joined(separator: "\n") + "\n", in: "Tests/Fixtures/configuration-errors.txt")
  }
}
