import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Configuration

/// docs/configuration.md lists every key: each table is held against what the program accepts.
@Suite("The reference of keys is what the program accepts", .ownThread)
struct ReferenceTests {
  /// What stands above the tables is written by hand.
  @Test("the tables are what the keys are declared as") func declaration() throws {
    let page = "docs/configuration.md"
    let text = try String(contentsOfFile: Programs.repository + "/" + page, encoding: .utf8)
    let opening = try #require(text.range(of: "\n## ")).lowerBound
    try RecordedText.expect("\(text[...opening])\(ConfigurationReference.markdown)", in: page)
  }

  /// A secret as a file or as a text.
  @Test("the annotated example names every key") func example() throws {
    let path = Programs.repository + "/config/pushscope.yaml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for section in ConfigurationReference.sections {
      for name in section.names where !text.contains(try Regex("\\b\(name)(_file)?\\b")) {
        Issue.record("\(section.title).\(name) is not in config/pushscope.yaml")
      }
    }
  }

  @Test("the manual page has every section and key, and whatis reads it") func manualPage() throws {
    let root = Programs.repository
    let made = try Programs.run(
      "/usr/bin/awk",
      [
        "-v", "date=2026-01-31", "-f", root + "/scripts/configuration-page.awk",
        root + "/docs/configuration.md",
      ])
    let sections = made.output.components(separatedBy: "\n.Ss ").dropFirst()
    #expect(sections.count == ConfigurationReference.sections.count)
    for (text, section) in zip(sections, ConfigurationReference.sections) {
      let lines = text.components(separatedBy: "\n")
      #expect(lines[0] == section.title)
      let names = lines.filter { $0.hasPrefix(".It Cm ") }.map { $0.split(separator: "B")[1].dropLast(3) }
      #expect(names.map(String.init) == section.names)
    }
    let lexgrog = try #require(Programs.find("lexgrog"), "scripts/bootstrap test installs it")
    let directory = try TemporaryDirectory()
    let page = try directory.write("pushscope.yaml.5", made.output)
    let named = try Programs.run(lexgrog, [page])
    #expect(named.status == 0 && named.output.contains("pushscope.yaml - configuration of pushscope"))
  }

  @Test("no section is missing, and no key is there twice") func sections() {
    #expect(Set(Reference.tables.keys) == Set(Reference.places.keys))
    for (name, rows) in Reference.tables {
      #expect(!rows.isEmpty && Set(rows.map(\.key)).count == rows.count, "\(name)")
    }
  }

  /// An unknown key is answered with those that there are.
  @Test("every key is there, and no other", arguments: Reference.places.keys.sorted())
  func keys(section: String) throws {
    let place = try #require(Reference.places[section])
    let found = try problems(in: place("zzzzzzzzzzzzzzzz: 1"))
    let remedy = try #require(found.first { $0.message == "there is no such key" }?.remedy, "\(found)")
    let list = try #require(remedy.range(of: "keys here: ")).upperBound
    var known = Set(remedy[list...].components(separatedBy: ", "))
    // The common keys have a table of their own.
    if ["apns", "fcm", "webpush", "ntfy", "http", "loopback"].contains(section) {
      known.subtract(try #require(Reference.tables["target"]).map(\.key))
    } else if section == "target" {
      known.subtract(try #require(Reference.tables["loopback"]).map(\.key))
    }
    #expect(known == Set(try #require(Reference.tables[section]).map(\.key)))
  }

  /// `1ms` to `1h`: both ends are accepted, and what lies beyond them is not.
  @Test("every range is what is accepted", arguments: Reference.places.keys.sorted())
  func ranges(section: String) throws {
    let place = try #require(Reference.places[section])
    for row in try #require(Reference.tables[section]) {
      guard let match = row.values.firstMatch(of: /^`([^`]+)` to `([^`]+)`/) else { continue }
      let (low, high) = (String(match.1), String(match.2))
      func isAccepted(_ value: String) throws -> Bool {
        let more = section == "target.schedule" ? "arrivals: constant\n      " : ""
        return try !problems(in: place(more + "\(row.key): \(value)")).contains {
          $0.key.hasSuffix(row.key) && $0.message.contains("out of range")
            || $0.message.contains("is not") && $0.key.hasSuffix(row.key)
        }
      }
      #expect(try isAccepted(low), "\(section).\(row.key): \(low)")
      #expect(try isAccepted(high), "\(section).\(row.key): \(high)")
      for outside in Self.outside(low, high) {
        #expect(try !isAccepted(outside), "\(section).\(row.key): \(outside)")
      }
    }
  }

  private static func outside(_ low: String, _ high: String) -> [String] {
    if let first = Int(low), let last = Int(high) { return ["\(first - 1)", "\(last + 1)"] }
    guard let first = try? DurationText.parse(low), let last = try? DurationText.parse(high) else {
      return []
    }
    let beyond = DurationText.format(last + .microseconds(1))
    return first > .zero ? [DurationText.format(first - .nanoseconds(500)), beyond] : [beyond]
  }

  /// The problems of a section's key with a value.
  private func complaints(_ section: String, _ key: String, _ value: String) throws -> [String] {
    let place = try #require(Reference.places[section])
    // The name that the place gives is in its way.
    let text = place("\(key): \(value)").replacing(
      "- name: o\n    ", with: key == "name" ? "- " : "- name: o\n    ")
    return try problems(in: text).filter { $0.key.hasSuffix(key) }.map(\.message)
  }

  /// Limits in other words than a range.
  @Test("every other limit is what is accepted", arguments: ["service", "retention", "objectives"])
  func limits(section: String) throws {
    var checked = 0
    for row in try #require(Reference.tables[section]) {
      if let match = row.values.firstMatch(of: /^at most (\d+) bytes/), let limit = Int(match.1) {
        #expect(try complaints(section, row.key, String(repeating: "a", count: limit)).isEmpty, "\(row.key)")
        #expect(
          try !complaints(section, row.key, String(repeating: "a", count: limit + 1)).isEmpty, "\(row.key)")
      } else if let match = row.values.firstMatch(of: /^at least `(\d+)(\w+)`/), let least = Int(match.1) {
        #expect(try complaints(section, row.key, "\(least)\(match.2)").isEmpty, "\(row.key)")
        #expect(try !complaints(section, row.key, "\(least - 1)\(match.2)").isEmpty, "\(row.key)")
      } else if let match = row.values.firstMatch(of: /^above `(\S+)` and below `(\S+)`/) {
        for outside in [match.1, match.2] {
          #expect(try !complaints(section, row.key, String(outside)).isEmpty, "\(row.key): \(outside)")
        }
        for inside in ["0.0001%", "50%", "99.9999%"] {
          #expect(try complaints(section, row.key, inside).isEmpty, "\(row.key): \(inside)")
        }
      } else {
        continue
      }
      checked += 1
    }
    #expect(checked > 0)
  }

  @Test(
    "every word of a list of words is accepted, and no other",
    arguments: ["service", "objectives", "alerts.webhook", "collector", "dashboard", "loopback", "fcm"])
  func words(section: String) throws {
    var checked = 0
    for row in try #require(Reference.tables[section]) {
      let words = row.values.matches(of: /`([^`]+)`/).map { String($0.1) }
      guard words.count > 1, row.values == words.map({ "`\($0)`" }).joined(separator: " ") else { continue }
      for word in words {
        // Whether a target can have the metric is another question.
        let found = try complaints(section, row.key, word).filter { !$0.contains("no receipt is expected") }
        #expect(found.isEmpty, "\(section).\(row.key): \(word) \(found)")
      }
      #expect(try !complaints(section, row.key, "zzzzzzzz").isEmpty, "\(section).\(row.key)")
      checked += 1
    }
    #expect(checked > 0)
  }

  @Test("as many labels and objectives as the table says, and no more")
  func counts() throws {
    func most(_ key: String) throws -> Int {
      let row = Reference.tables["top"]?.first { $0.key == key }
      let match = row?.values.firstMatch(of: /at most (\d+)/)
      return try #require(match.flatMap { Int($0.1) })
    }
    let place = try #require(Reference.places["top"])
    func hasProblem(_ text: String) throws -> Bool { try !problems(in: place(text)).isEmpty }
    func labels(_ count: Int) -> String {
      "labels: { " + (1...count).map { "l\($0): v" }.joined(separator: ", ") + " }"
    }
    func objectives(_ count: Int) -> String {
      "objectives:\n"
        + (1...count).map { "  - { name: o\($0), target: a, silence: 10m }\n" }.joined()
    }
    #expect(try !hasProblem(labels(most("labels"))) && hasProblem(labels(most("labels") + 1)))
    #expect(try !hasProblem(objectives(most("objectives"))) && hasProblem(objectives(most("objectives") + 1)))
  }

  /// What a section needs for its other keys to be read.
  private static let needed: [String: String] = [
    "loopback": "endpoint: https://127.0.0.1:1\n    ", "service": "listen: 127.0.0.1:1\n  ",
    "objectives": "within: 1s\n    share: 99%\n    metric: accept\n    ",
    "alerts.webhook": "url: '${HOOK}'\n    ",
  ]

  /// A default that is written out changes nothing.
  @Test(
    "every default is the program's",
    arguments: [
      "collector", "dashboard", "target", "loopback", "service", "objectives", "alerts.webhook", "retention",
    ])
  func defaults(section: String) throws {
    let place = try #require(Reference.places[section])
    let needed = Self.needed[section] ?? ""
    func load(_ line: String) throws -> PushscopeConfiguration {
      let text =
        line.isEmpty && needed.isEmpty
        ? "targets: [{ name: a, provider: loopback, endpoint: 'https://127.0.0.1:1' }]\n"
        : place(needed + line)
      let directory = try populatedDirectory()
      let file = try directory.write("c.yaml", text)
      var configuration = try PushscopeConfiguration.load(
        path: file, environment: ["HOOK": "https://hooks.example.com/a"])
      configuration.file = ""
      configuration.dashboard.themeDirectories = []
      for index in configuration.targets.indices { configuration.targets[index].places = TargetLocations() }
      return configuration
    }
    var checked = 0
    for row in try #require(Reference.tables[section]) {
      if let match = row.standard.firstMatch(of: /^`([^`:]+)`$/) {
        var written = try load("\(row.key): \(match.1)")
        // Not given means by PUSHSCOPE_MOTION first.
        if row.key == "motion" { written.dashboard.motion = nil }
        #expect(try written == load(""), "\(section).\(row.key)")
      } else if let match = row.standard.firstMatch(of: /^as `([^`]+)`$/) {
        let other = match.1 == "samples" ? "samples: 7d" : "samples: 9d\n  \(match.1): 7d"
        #expect(try load("\(other)\n  \(row.key): 7d") == load(other), "\(section).\(row.key)")
      } else {
        continue
      }
      checked += 1
    }
    #expect(checked > 0)
  }
}
