import Foundation
import Glibc

/// A program in a pseudo-terminal that understands synchronized output, seen from the terminal's side.
final class TerminalProcess {
  let pid: pid_t
  let started = ContinuousClock.now
  private let controller: Int32
  private(set) var received: [UInt8] = []
  private var searched = 0

  // TIOCSPTLCK, TIOCGPTN and POSIX_SPAWN_SETSID: macros that are not imported.
  private static let setPtyLock: UInt = 0x4004_5431
  private static let getPtyNumber: UInt = 0x8004_5430
  private static let spawnSetSID: Int16 = 0x80

  struct Failure: Error {
    let what: String
  }

  init(_ program: String, _ arguments: [String], columns: Int = 200, rows: Int = 60) throws {
    // Swift's view of the C library has no posix_openpt; this is what it does on Linux.
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (number, isLocked) = (UInt32(0), Int32(0))
    guard controller >= 0, ioctl(controller, Self.setPtyLock, &isLocked) == 0,
      ioctl(controller, Self.getPtyNumber, &number) == 0
    else { throw Failure(what: "no pseudo-terminal") }
    let name = "/dev/pts/\(number)"
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    _ = fcntl(controller, F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a new session opens becomes its own.
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Self.spawnSetSID)
    let environment = ["TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=/nonexistent"]
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var child = pid_t()
    let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw Failure(what: "\(program): \(String(cString: strerror(code)))") }
    pid = child
  }

  /// Takes in what comes until a moment, answering what terminals are asked.
  func listen(until deadline: ContinuousClock.Instant, orUntil isEnough: () -> Bool = { false }) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnough() {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return }
      var waiting = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) > 0 else { continue }
      let count = read(controller, &buffer, buffer.count)
      guard count > 0 else { return }
      received.append(contentsOf: buffer[..<count])
      answer()
    }
  }

  /// "Do you know mode 2026?" "Yes, it is off."
  private func answer() {
    guard searched == 0, contains("\u{1B}[?2026$p") else { return }
    searched = 1
    type("\u{1B}[?2026;2$y")
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(controller, bytes, bytes.count)
  }

  func contains(_ text: String) -> Bool { count(of: text, from: 0) > 0 }

  func forgetReceived() { received.removeAll(keepingCapacity: true) }

  func count(of text: String, from start: Int = 0) -> Int {
    let pattern = Array(text.utf8)
    var found = 0
    var place = start
    while place + pattern.count <= received.count {
      if received[place] == pattern[0], received[place..<place + pattern.count].elementsEqual(pattern) {
        found += 1
        place += pattern.count
      } else {
        place += 1
      }
    }
    return found
  }

  /// ns of processor time so far, by thread.
  func threadTimes() -> [ThreadTime] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return tasks.compactMap { Int($0) }.sorted().map { task in
      let place = "/proc/\(pid)/task/\(task)"
      let name = (try? String(contentsOfFile: "\(place)/comm", encoding: .utf8)) ?? ""
      let text = try? String(contentsOfFile: "\(place)/schedstat", encoding: .utf8)
      return ThreadTime(
        id: task, isReader: name.hasPrefix("store reader"),
        nanoseconds: text?.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }

  func quit() {
    // A key may close what lies on top first.
    kill(pid, SIGTERM)
    listen(until: .now + .seconds(2))
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    close(controller)
  }
}

/// What one thread has used.
struct ThreadTime {
  let id: Int
  let isReader: Bool
  let nanoseconds: Int
}
