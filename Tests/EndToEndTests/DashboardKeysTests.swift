import Foundation
import TestKit
import TestTraits
import Testing

/// Every key of every preset, pressed in a real terminal: Tests/Support/dashboard-keys.txt says what each does.
@Suite("Each key in a real terminal", .ownThread, .serialized, .enabled(if: Programs.has("tmux")))
struct DashboardKeysTests {
  private enum Step {
    case type(String)
    case press(String, effect: String, text: String)

    init(_ line: Substring) throws {
      if line.hasPrefix("type ") {
        self = .type(String(line.dropFirst(5)))
        return
      }
      let words = line.split(separator: " ", maxSplits: 1)
      let key = String(try #require(words.first))
      let told = try #require(words.last).drop { $0 == " " }.split(
        separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      self = .press(
        key, effect: String(try #require(told.first)), text: told.count > 1 ? String(told[1]) : "")
    }
  }

  private static func steps(of preset: String) throws -> [Step] {
    let text = try String(contentsOfFile: Programs.scripts + "/dashboard-keys.txt", encoding: .utf8)
    let parts = text.components(separatedBy: "\npreset: ").dropFirst()
    let part = try #require(parts.first { $0.hasPrefix("\(preset)\n") })
    return try part.split(separator: "\n").dropFirst().map { try Step($0) }
  }

  /// What a key can change: the last line has words that go by themselves.
  private static func content(_ screen: String) -> [Substring] {
    Array(screen.split(separator: "\n").dropLast())
  }

  /// The content once it stands: what an earlier key still moves is no effect of the next one.
  private static func settled(_ tmux: Tmux) throws -> [Substring] {
    var last: [Substring] = []
    try tmux.waitUntil("the screen stands still") { screen in
      let now = content(screen)
      if now == last { return true }
      last = now
      // Some frames later.
      _ = poll(nil, 0, 60)
      return false
    }
    return last
  }

  private static func recorded() throws -> Installation {
    try Recording.copy("two runs and 40 annotations") {
      let installation = try Installation(rate: "100/s", target: Recording.target)
      try installation.record(runs: ["first", "second"], count: 400)
      for number in 1...40 {
        let noted = try run(
          Programs.pushscope,
          ["annotate", "note \(number)", "--run", "latest", "--at", "-3s", "--store", installation.store])
        try #require(noted.status == 0, "\(noted.error)")
      }
      return installation
    }
  }

  @Test("what it does is seen", .timeLimit(.minutes(10)), arguments: ["classic", "vim", "less"])
  func keys(preset: String) throws {
    let installation = try Self.recorded()
    let file = try installation.directory.write("keys.yaml", "dashboard: { keys: { preset: \(preset) } }\n")
    let tmux = try Tmux(columns: 130, rows: 40)
    try tmux.type("cd \(installation.directory.path)")
    try tmux.press("Enter")
    try tmux.openDashboard(on: installation, options: "--config \(file)")
    for step in try Self.steps(of: preset) {
      guard case .press(let key, let effect, let text) = step else {
        if case .type(let text) = step { try tmux.type(text) }
        continue
      }
      let before = try Self.settled(tmux)
      try tmux.press(key)
      switch effect {
      case "shows": try tmux.waitUntil("\(key) shows '\(text)'") { $0.contains(text) }
      case "hides": try tmux.waitUntil("\(key) hides '\(text)'") { !$0.contains(text) }
      case "changes": try tmux.waitUntil("\(key) changes something") { Self.content($0) != before }
      case "stays": try tmux.waitUntil("\(key) changes nothing") { Self.content($0) == before }
      default: Issue.record("\(effect) is no effect")
      }
    }
  }
}
