import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite(
  "A service manager is told how the collector is; its log is readable by programs", .ownThread, .serialized)
struct SupervisionTests {
  /// Prints each datagram of a socket as a line, so that what the collector says is read by a program of another make.
  private static let receiver = """
    import socket, sys
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(sys.argv[1])
    print("bound", flush=True)
    while True:
        print(repr(s.recv(4096).decode()), flush=True)
    """

  private func count(_ word: String, in process: RunningProcess) -> Int {
    process.standardOutput.components(separatedBy: word).count - 1
  }

  @Test("READY comes once, signs of life go on while the store is locked", .timeLimit(.minutes(10)))
  func notifications() throws {
    let installation = try Installation(rate: "20/s")
    let socket = installation.directory.file("notify")
    let manager = try RunningProcess(Programs.python, ["-c", Self.receiver, socket])
    try manager.waitFor(output: "bound")
    let service = try installation.startLoopback()
    let collector = try installation.collect(
      [], environment: ["NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "2000000"])
    try eventually("it records", seen: { collector.standardError + manager.standardOutput }) {
      manager.standardOutput.contains("STATUS=recording run") ? true : nil
    }
    #expect(count("'READY=1'", in: manager) == 1)

    // The recorder's commits fail for as long as another program has the store.
    let lock = try RunningProcess(
      Programs.python,
      [
        "-c",
        """
        import signal, sqlite3, sys
        c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
        c.execute("BEGIN IMMEDIATE")
        print("locked", flush=True)
        signal.pause()
        """, installation.store,
      ])
    try lock.waitFor(output: "locked")
    try collector.waitFor(error: "the commit is retried each second")
    let before = count("'WATCHDOG=1'", in: manager)
    try eventually("signs of life go on", seen: { manager.standardOutput }) {
      count("'WATCHDOG=1'", in: manager) >= before + 3 ? true : nil
    }
    lock.signal(SIGKILL)
    #expect(try collector.stop() == 0)
    #expect(count("STOPPING=1", in: manager) == 1)
    #expect(count("'READY=1'", in: manager) == 1)
    service.signal(SIGTERM)
    manager.signal(SIGKILL)
  }

  /// Writes to the store by the recorder's thread never return once a file is there, as on a disk that has gone away.
  private static let hangingDisk = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
      ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
      char name[16] = "";
      pthread_getname_np(pthread_self(), name, sizeof name);
      const char *file = getenv("HANG_FILE");
      while (file != NULL && strcmp(name, "recorder") == 0 && access(file, F_OK) == 0) pause();
      return real(fd, bytes, count, offset);
    }
    """

  @Test(
    "a recorder that hangs gives no sign of life, so that the service manager restarts it",
    .enabled(if: Programs.has("cc")), .timeLimit(.minutes(10)))
  func stuckRecorder() throws {
    let installation = try Installation(rate: "20/s")
    let source = try installation.directory.write("disk.c", Self.hangingDisk)
    let library = installation.directory.file("disk.so")
    let built = try Programs.run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"])
    try #require(built.status == 0, "\(built.error)")
    let socket = installation.directory.file("notify")
    let manager = try RunningProcess(Programs.python, ["-c", Self.receiver, socket])
    try eventually("the socket is there", seen: { manager.standardError }) {
      manager.standardOutput.contains("bound") ? true : nil
    }
    let service = try installation.startLoopback()
    let collector = try installation.collect(
      [],
      environment: [
        "NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "400000", "LD_PRELOAD": library,
        "HANG_FILE": installation.directory.file("hang"),
      ])
    try eventually("signs of life come", seen: { collector.standardError + manager.standardOutput }) {
      count("'WATCHDOG=1'", in: manager) >= 5 ? true : nil
    }
    try installation.directory.write("hang", "")
    // Ten times the limit without a sign, while the rest of the collector goes on.
    var last = (count: -1, at: ContinuousClock.now)
    try eventually("the signs stop", seen: { manager.standardOutput }) {
      let signs = count("'WATCHDOG=1'", in: manager)
      if signs != last.count { last = (signs, .now) }
      return ContinuousClock.now - last.at > .seconds(4) ? true : nil
    }
    collector.signal(SIGKILL)
    service.signal(SIGTERM)
    manager.signal(SIGKILL)
  }

  @Test("--check says what is valid without a store, and 78 what is not", .timeLimit(.minutes(10)))
  func check() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    service.signal(SIGTERM)
    func check() throws -> (status: Int32, output: String, error: String) {
      let result = try run(
        Programs.pushscope, ["collect", "--check", "--config", installation.configuration])
      return (result.status, result.output, result.error)
    }
    let valid = try check()
    #expect(valid.status == 0, "\(valid.error)")
    #expect(valid.output.hasSuffix("is valid: 1 target (loopback)\n"))

    let folder = installation.directory.file("loopback")
    _ = try Certificates(in: installation.directory)
    let made = try run(
      Programs.python,
      [
        Programs.scripts + "/expired_certificate.py", "\(folder)/ca.pem", "\(folder)/ca.key",
        "\(folder)/old.pem", "\(folder)/old.key",
      ])
    try #require(made.status == 0 && chmod("\(folder)/old.key", 0o600) == 0, "\(made.error)")
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml", text.replacing("loopback/server.", with: "loopback/old."))
    let ended = try check()
    #expect(ended.status == 0, "\(ended.error)")
    #expect(
      ended.output.contains("\nthe receipt listener's certificate ended 24 h ago (\(folder)/old.pem)\n"),
      "\(ended.output)")

    try installation.directory.write(
      "pushscope.yaml",
      text.replacing("secret_file: receipts.secret", with: "secret_file: \"credential:mac\""))
    let named = try check()
    #expect(named.status == 0, "\(named.error)")
    #expect(named.output.contains("checked by name only: mac"))
    let started = try run(
      Programs.pushscope, ["collect", "--config", installation.configuration, "--store", installation.store])
    #expect(started.status == 78)
    #expect(started.error.contains("LoadCredential=mac:"))
    #expect(!FileManager.default.fileExists(atPath: installation.store))

    try installation.directory.write("pushscope.yaml", text.replacing("rate: 50/s", with: "rate: fast"))
    let invalid = try check()
    #expect(invalid.status == 78)
    #expect(invalid.error.contains("pushscope.yaml:8:"))

    // A check has two answers; a start tells a missing file (66) from an invalid one.
    try FileManager.default.removeItem(atPath: installation.configuration)
    let missing = try check()
    #expect(missing.status == 78)
    #expect(missing.error.components(separatedBy: "does not exist").count == 2, "\(missing.error)")
    let unstarted = try run(
      Programs.pushscope, ["collect", "--config", installation.configuration, "--store", installation.store])
    #expect(unstarted.status == 66)
    #expect(unstarted.error.components(separatedBy: "does not exist").count == 2, "\(unstarted.error)")
  }

  @Test("each log line is a JSON object, or begins with its priority", .timeLimit(.minutes(10)))
  func logFormats() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let json = try installation.collect(["--count", "5", "--log-format", "json"])
    #expect(try json.waitForExit() == 0)
    let lines = json.standardError.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      #expect(Set(object.keys) == ["at", "level", "label", "message"])
    }
    let journal = try installation.collect([
      "--count", "5", "--log-format", "journal", "--log-level", "warning",
    ])
    #expect(try journal.waitForExit() == 0)
    #expect(journal.standardError.isEmpty, "nothing is as severe: \(journal.standardError)")
    let all = try installation.collect(["--count", "5", "--log-format", "journal"])
    #expect(try all.waitForExit() == 0)
    #expect(
      all.standardError.split(separator: "\n").allSatisfy { $0.wholeMatch(of: /<[0-7]>[a-z]+: .+/) != nil })
    // What ends it is a line of the log, too: `journalctl -p err` has it.
    let broken = try installation.directory.write(
      "broken.yaml",
      "targets: [{ name: a, provider: loopback }]\ncolector: {}\nobjectives: [{ name: o, target: a }]\n")
    let failed = try run(Programs.pushscope, ["collect", "--config", broken, "--log-format", "journal"])
    let said = failed.error.split(separator: "\n")
    #expect(failed.status == 78 && said.count >= 2, "\(failed.error)")
    #expect(said.allSatisfy { $0.hasPrefix("<3>pushscope: ") }, "\(failed.error)")
    // The target has its own problem; that an objective names it is none.
    #expect(!failed.error.contains("names no target"), "\(failed.error)")
    let object = try run(Programs.pushscope, ["collect", "--config", broken, "--log-format", "json"])
    for line in object.error.split(separator: "\n") {
      let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
      #expect(fields?["level"] == "error", "\(line)")
    }
    service.signal(SIGTERM)
  }
}
