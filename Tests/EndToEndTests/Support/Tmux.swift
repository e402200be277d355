import Foundation
import TestKit
import Testing

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

  /// Sends keys by tmux's names (`Enter`, `Tab`, `C-c`, `Left`).
  func press(_ keys: String...) throws { try command(["send-keys"] + keys) }

  /// Sends raw bytes, for mouse reports.
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

  /// The state of the pane by tmux's format names (`alternate_on`, `mouse_any_flag`, `cursor_flag`).
  func state(_ format: String) throws -> String {
    try command(["display-message", "-p", "#{\(format)}"]).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @discardableResult
  func waitFor(_ text: String, within limit: Duration = eventuallyLimit) throws -> String {
    try waitUntil("the screen shows '\(text)'", within: limit) { $0.contains(text) }
  }

  @discardableResult
  func waitUntil(
    _ what: String, within limit: Duration = eventuallyLimit, _ condition: (String) throws -> Bool
  ) throws -> String {
    var last = ""
    return try eventually(what, within: limit, seen: { last + programState }) {
      last = try screen()
      return try condition(last) ? last : nil
    }
  }

  /// What the threads of the pane's program do: their states, their CPU time and the system calls that they wait in.
  private var programState: String {
    let script = """
      for p in $(pgrep -P "$1"); do
        ps -L -o pid,tid,stat,time,comm -p "$p"
        for t in /proc/"$p"/task/*; do echo "$t: $(cut -d ' ' -f 1-4 "$t/syscall")"; done
      done
      """
    return (try? run("/bin/sh", ["-c", script, "sh", state("pane_pid")]).output) ?? ""
  }

  @discardableResult
  private func command(_ arguments: [String]) throws -> String {
    let result = try run("tmux", ["-S", socket] + arguments, environment: ["TMUX": ""])
    guard result.status == 0 else {
      throw NeverHappened(what: "tmux \(arguments.joined(separator: " "))", seen: result.error)
    }
    return result.output
  }
}

extension Tmux {
  /// Starts the dashboard on an installation's store and waits for its first figures.
  func openDashboard(on installation: Installation, options: String = "", environment: String = "") throws {
    try type("\(environment) \(Programs.pushscope) dashboard --store \(installation.store) \(options)")
    try press("Enter")
    try waitFor("1 Histogram")
    try waitFor("p50")
  }

  /// Ends it and expects the restored terminal.
  func leaveDashboard() throws {
    try press("q")
    try expectShell()
  }

  /// Expects the shell on the normal screen, without mouse reports.
  func expectShell() throws {
    try waitUntil("the shell is back") { $0.contains("ready$") && !$0.contains("1 Histogram") }
    #expect(try state("alternate_on") == "0")
    #expect(try state("mouse_any_flag") == "0")
  }

  /// A mouse event as SGR reports it; columns and rows from 1.
  func mouse(_ button: Int, _ column: Int, _ row: Int, isRelease: Bool = false) throws {
    try send(bytes: Array("\u{1B}[<\(button);\(column);\(row)\(isRelease ? "m" : "M")".utf8))
  }
}
