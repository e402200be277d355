import Foundation
import TestKit

/// A real terminal of a given size, run by a tmux server of the test's own.
final class Tmux: Sendable {
  private let socket: String
  private let directory: TemporaryDirectory

  init(columns: Int, rows: Int, shell: String = "/bin/sh", environment: [String: String] = [:]) throws {
    directory = try TemporaryDirectory()
    socket = directory.file("tmux")
    let configuration = try directory.write(
      "tmux.conf",
      """
      set -g default-terminal "xterm-256color"
      set -g escape-time 0
      set -g mouse off
      set -g status off
      set -g history-limit 2000
      set -g remain-on-exit on
      """)
    let settings = environment.flatMap { ["-e", "\($0.key)=\($0.value)"] }
    try command(
      ["-f", configuration, "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + settings
        + ["PS1='ready$ ' ENV= exec \(shell)"])
    try waitFor("ready$")
  }

  deinit { _ = try? command(["kill-server"]) }

  /// Types text as it is.
  func type(_ text: String) throws { try command(["send-keys", "-l", text]) }

  /// Presses keys by tmux's names (`Enter`, `Tab`, `C-c`, `Left`).
  func press(_ keys: String...) throws { try command(["send-keys"] + keys) }

  /// Sends raw bytes, as a mouse would.
  func send(bytes: [UInt8]) throws {
    try command(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
  }

  func resize(columns: Int, rows: Int) throws {
    try command(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The screen as text; with escapes for colors when asked.
  func screen(escapes: Bool = false) throws -> String {
    try command(["capture-pane", "-p"] + (escapes ? ["-e"] : []))
  }

  /// What tmux knows of the pane, by its format names (`alternate_on`, `mouse_any_flag`, `cursor_flag`).
  func state(_ format: String) throws -> String {
    try command(["display-message", "-p", "#{\(format)}"]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @discardableResult
  func waitFor(_ text: String, within limit: Duration = .seconds(60)) throws -> String {
    try waitUntil("the screen shows '\(text)'", within: limit) { $0.contains(text) }
  }

  @discardableResult
  func waitUntil(
    _ what: String, within limit: Duration = .seconds(60), _ condition: (String) throws -> Bool
  ) throws -> String {
    var last = ""
    return try eventually(what, within: limit, seen: { last }) {
      last = try screen()
      return try condition(last) ? last : nil
    }
  }

  @discardableResult
  private func command(_ arguments: [String]) throws -> String {
    guard let tmux = Programs.find("tmux") else { throw NeverHappened(what: "tmux is installed", seen: "") }
    let result = try run(tmux, ["-S", socket] + arguments, environment: ["TMUX": ""])
    guard result.status == 0 else {
      throw NeverHappened(what: "tmux \(arguments.joined(separator: " "))", seen: result.error)
    }
    return result.output
  }
}
