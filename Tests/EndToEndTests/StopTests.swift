import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite(
  "A stop waits for notifications in flight; signals have their documented effect", .ownThread, .serialized)
struct StopTests {
  private func eventuallySent(_ count: Int, _ installation: Installation, _ collector: RunningProcess) throws
  {
    try eventually("\(count) are sent", seen: { collector.standardError }) { () -> Bool? in
      guard FileManager.default.fileExists(atPath: installation.store) else { return nil }
      let rows = try? installation.query("SELECT count(*) FROM sample_view WHERE sent_at IS NOT NULL")
      return (rows?.first?.first).flatMap { Int($0) } ?? 0 >= count ? true : nil
    }
  }

  private func end(_ installation: Installation) throws -> [String] {
    try installation.query("SELECT end_reason, ended_at IS NOT NULL FROM run ORDER BY id DESC LIMIT 1").first
      ?? []
  }

  /// Receipts take longer than an earlier fixed limit of the wait, and each of them arrives.
  @Test(
    "every notification that is under way gets its end", .timeLimit(.minutes(10)),
    arguments: [SIGTERM, SIGINT])
  func drains(signal: Int32) throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 60s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5s }\n")
    let collector = try installation.collect([])
    try eventuallySent(10, installation, collector)
    collector.signal(signal)
    try collector.waitFor(error: "told to stop: waiting at most 1 min for")
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    let states = try installation.states()
    #expect(states["delivered"] ?? 0 >= 10)
    #expect(states["interrupted"] == nil && states["lost"] == nil && states["in_flight"] == nil, "\(states)")
    #expect(try end(installation) == ["stopped", "1"])
  }

  @Test("the wait ends after --drain; open notifications become interrupted", .timeLimit(.minutes(10)))
  func drainIsBounded() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 300s", "timeout: 200s"])
    let service = try installation.startLoopback(
      scenario: "answers: { delay: 100s }\ndeliveries: { delay: 100s }\n")
    let collector = try installation.collect(["--drain", "1s"])
    // A connection carries one request at a time.
    try eventuallySent(1, installation, collector)
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit(within: .seconds(80)) == 0)
    #expect(collector.standardError.contains("waiting at most 1 s for"), "\(collector.standardError)")
    service.signal(SIGKILL)
    let states = try installation.states()
    #expect(states["interrupted"] == 1)
    #expect(states["failed"] == nil, "nothing has timed out: \(states)")
    #expect(try end(installation) == ["stopped", "1"])
  }

  @Test(
    "a second signal ends it at once, and the next start completes the open rows", .timeLimit(.minutes(10)))
  func second() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 300s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 100s }\n")
    let collector = try installation.collect(["--drain", "10m"])
    try eventuallySent(5, installation, collector)
    collector.signal(SIGINT)
    try collector.waitFor(error: "told to stop: waiting")
    // Those within half a second are the same request.
    let status = try eventually("a later one ends it", seen: { collector.standardError }) { () -> Int32? in
      collector.signal(SIGTERM)
      return collector.status()
    }
    #expect(status == 1)
    #expect(collector.standardError.contains("SIGTERM while it was ending: ended at once"))
    let next = try installation.collect(["--count", "1", "--drain", "0s"])
    // The first one may have sent as many: what counts is that this one records.
    try next.waitFor(error: "into \(installation.store)")
    try eventuallySent(6, installation, next)
    #expect(try next.stop() == 0)
    service.signal(SIGKILL)
    #expect(try installation.query("SELECT count(*) FROM run WHERE ended_at IS NULL") == [["0"]])
    #expect(try installation.states()["interrupted"] ?? 0 >= 5)
  }

  @Test("a log that nobody reads holds up neither recording nor the end", .timeLimit(.minutes(10)))
  func stalledLog() throws {
    let installation = try Installation(rate: "20/s")
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    // The FIFO is full, and its reading end is open.
    let collector = try RunningProcess(
      "/bin/sh",
      [
        "-c", "mkfifo \"$0\"; exec 3<>\"$0\"; head -c 65536 /dev/zero >&3; exec \"$@\" 2>&3",
        installation.directory.file("log"), Programs.pushscope, "collect", "--config",
        installation.configuration, "--store", installation.store, "--drain", "1s",
      ])
    try eventuallySent(20, installation, collector)
    #expect(try collector.stop() == 0)
    #expect(try end(installation) == ["stopped", "1"])
    try service.stop()
  }

  @Test(
    "a limit of descriptors is refused where it is too low, and leaves some to the collector where it is reached"
  )
  func fewDescriptors() throws {
    let installation = try Installation(rate: "20/s")
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    func collect(limit: Int) throws -> RunningProcess {
      try RunningProcess(
        "/bin/sh",
        [
          "-c", "ulimit -n \(limit); exec \"$@\"", "sh", Programs.pushscope, "collect", "--config",
          installation.configuration, "--store", installation.store, "--drain", "1s",
        ])
    }
    for limit in [16, 45] {
      let refused = try collect(limit: limit)
      #expect(try refused.waitForExit() == 78)
      #expect(
        refused.standardError.contains("may have \(limit) files and connections open"),
        "\(refused.standardError)")
    }
    let collector = try collect(limit: 64)
    try eventuallySent(5, installation, collector)
    let strangers = (1...80).map { _ in LoopbackConnection(port: installation.receiptsPort) }
    try collector.waitFor(error: "no more connections are accepted")
    let delivered = try installation.states()["delivered"] ?? 0
    try installation.waitFor("delivered", over: delivered + 20, by: collector)
    withExtendedLifetime(strangers) {}
    #expect(try collector.stop() == 0)
    try service.stop()
  }

  @Test("two signals at once are one stop: the run is closed in order", .timeLimit(.minutes(10)))
  func twoAtOnce() throws {
    let installation = try Installation(rate: "20/s")
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 300ms }\n")
    let collector = try installation.collect([])
    try eventuallySent(5, installation, collector)
    for signal in [SIGTERM, SIGHUP, SIGTERM, SIGINT] { collector.signal(signal) }
    #expect(try collector.waitForExit() == 0)
    #expect(try end(installation) == ["stopped", "1"])
    try service.stop()
  }

  @Test("under nohup SIGHUP is ignored; USR1, USR2 and ALRM always are", .timeLimit(.minutes(10)))
  func ignored() throws {
    let installation = try Installation(rate: "20/s")
    let service = try installation.startLoopback()
    let collector = try RunningProcess(
      "/bin/sh",
      [
        "-c", "trap '' HUP; exec \"$0\" \"$@\"", Programs.pushscope, "collect", "--config",
        installation.configuration, "--store", installation.store,
      ])
    try eventuallySent(3, installation, collector)
    for signal in [SIGUSR1, SIGUSR2, SIGALRM] {
      collector.signal(signal)
      service.signal(signal)
    }
    collector.signal(SIGHUP)
    let sent = try installation.query("SELECT count(*) FROM sample_view WHERE sent_at IS NOT NULL")
    try eventuallySent(((sent.first?.first).flatMap { Int($0) } ?? 0) + 40, installation, collector)
    #expect(!collector.standardError.contains("told to stop"))
    #expect(try collector.stop() == 0)
    service.signal(SIGTERM)
    #expect(try service.waitForExit() == 0)
  }

  @Test(
    "the loopback service and the device end in order on each of them", .timeLimit(.minutes(10)),
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func services(signal: Int32) throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let device = try RunningProcess(
      Programs.pushscope,
      [
        "device", "--port", "0", "--credentials", installation.directory.file("loopback"), "--receipts",
        "https://127.0.0.1:\(installation.receiptsPort)",
      ])
    try device.waitFor(output: "https://")
    for process in [service, device] {
      process.signal(signal)
      #expect(try process.waitForExit() == 0)
      #expect(process.standardError.contains("stopped after"))
    }
  }

  /// Waits for a time of the wall clock would last an hour longer when the clock is set back by one. Here the program reads a
  /// clock that is one hour ahead of the kernel's from a certain moment on, which has the same effect.
  @Test(
    "a wall clock that is set back stops nothing", .enabled(if: Programs.has("cc")), .timeLimit(.minutes(10)))
  func wallClock() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 10s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let source = try installation.directory.write(
      "clock.c",
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdlib.h>
      #include <time.h>
      #include <unistd.h>
      int clock_gettime(clockid_t clock, struct timespec *time) {
        int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
        int result = real(clock, time);
        const char *file = getenv("CLOCK_STEP_FILE");
        if (clock == CLOCK_REALTIME && file != NULL && access(file, F_OK) == 0) time->tv_sec += 3600;
        return result;
      }
      """)
    let library = installation.directory.file("clock.so")
    let built = try run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"])
    try #require(built.status == 0, "\(built.error)")
    let stepped = installation.directory.file("stepped")
    let collector = try installation.collect(
      [], environment: ["LD_PRELOAD": library, "CLOCK_STEP_FILE": stepped])
    try eventuallySent(20, installation, collector)
    try installation.directory.write("stepped", "")
    try eventually("the step is noticed", seen: { collector.standardError }) {
      try installation.query("SELECT count(*) FROM event_view WHERE kind = 'clock_step'") != [["0"]]
        ? true : nil
    }
    // The maintenance thread answers each command between two waits.
    for name in ["one", "two", "three"] {
      let renamed = try run(
        Programs.pushscope, ["runs", "rename", "latest", name, "--store", installation.store])
      #expect(renamed.status == 0, "\(renamed.error)")
    }
    #expect(try collector.stop() == 0)
    try service.stop()
    #expect(try end(installation) == ["stopped", "1"])
  }
}

/// A connection to a port of this host that sends nothing.
private final class LoopbackConnection {
  private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

  init(port: Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    withUnsafeBytes(of: &address) { bytes in
      _ = bytes.withMemoryRebound(to: sockaddr.self) {
        connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
      }
    }
  }

  deinit { close(descriptor) }
}
