import Foundation
import TestKit
import TestTraits
import Testing

/// The endpoint of FCM's access tokens may be hostile: its answer becomes a token or a message, and nothing else.
@Suite(
  "A token endpoint that means ill", .ownThread, .serialized,
  .enabled(if: Python.has("hpack") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct HostileTokenEndpointTests {
  private static let noToken = "no access token was given: 200 the answer has no access_token in it"
  private static let tooLarge = "the token endpoint does not answer: the answer is too large"

  /// The output of `doctor --send`, and its exit status.
  private static let answers: [(name: String, status: Int32, words: String)] = [
    ("good", 0, "an access token for 1 h"), ("1e300", 0, "an access token for 1 h"),
    ("text", 0, "an access token for 1 h"), ("negative", 0, "an access token for 0 s"),
    ("zero", 0, "an access token for 0 s"), ("nan", 69, noToken), ("lines", 69, noToken),
    ("blank", 69, noToken), ("empty", 69, noToken), ("list", 69, noToken), ("none", 69, noToken),
    ("cut", 69, noToken), ("deep", 69, noToken), ("long", 69, noToken), ("longer", 69, tooLarge),
    ("200-endless-body", 69, tooLarge), ("400-endless-body", 69, tooLarge),
    ("200-endless-headers", 69, tooLarge),
    ("200-endless-line", 69, tooLarge), ("0-endless-interim", 69, tooLarge),
    ("200-bomb-gzip", 69, noToken), ("502-html", 69, "no access token was given: 502"),
    ("302-redirect", 69, "302 it leads elsewhere, which is not followed"),
    ("307-redirect", 69, "307 it leads elsewhere"),
    ("503-retry-digits", 69, "no access token was given: 503 TooManyRequests"),
    ("400-evil-reason", 78, "no access token was given: 400 ␛[2J"), ("0-garbage", 69, "does not answer"),
    ("echo", 69, "no access token was given: 503 odd: (hidden)"),
  ]

  private struct Scene {
    let installation: Installation
    let decoy: UnansweredListener
    let service: HostileService

    /// Writes a service account's file for each endpoint.
    init(_ names: [String]) throws {
      installation = try Installation()
      decoy = try UnansweredListener()
      let files = try ProviderFiles(in: installation)
      service = try HostileService(
        installation, ["h2:good"] + names.map { "h1:token-\($0)" },
        decoy: "https://127.0.0.1:\(decoy.port)/token")
      for name in names {
        let port = service.ports["h1:token-\(name)"] ?? 1
        try files.writeAccount("\(name).json", tokenURI: "https://127.0.0.1:\(port)/token")
        let target = ProviderFiles.target(
          "fcm", "fcm", port: service.ports["h2:good"] ?? 1, account: "\(name).json",
          more: ["schedule: { rate: 10/s }", "timeout: 2s"])
        try installation.directory.write("\(name).yaml", "targets:\n\(target)\n")
      }
    }

    func arguments(_ command: String, _ name: String) -> [String] {
      [
        command, "--config", installation.directory.file("\(name).yaml"), "--store",
        installation.directory.file("\(name).sqlite"),
      ]
    }
  }

  @Test("doctor reports it in one line") func doctor() throws {
    let scene = try Scene(Self.answers.map(\.name))
    for (name, status, words) in Self.answers {
      let doctor = try RunningProcess(Programs.pushscope, scene.arguments("doctor", name) + ["--send"])
      let end = try doctor.waitForExitAndPeak()
      #expect(end.status == status, "\(name): \(doctor.standardOutput)")
      let line = doctor.standardOutput.split(separator: "\n").first { $0.contains("  fcm  token  ") }
      #expect(line?.contains(words) == true, "\(name): \(doctor.standardOutput)")
      #expect((line?.utf8.count ?? 0) < 600 && end.peak < 100_000, "\(name): \(end.peak) kB")
      #expect(scene.service.said("request", by: "h1:token-\(name)").count == 1, "\(name)")
    }
    #expect(scene.decoy.callers() == 0, "an assertion was sent to somebody else")
    let accepted = Self.answers.count { $0.status == 0 }
    #expect(
      scene.service.said("request", by: "h2:good").count == accepted, "a message went out without a token")
  }

  @Test("a run ends after 30 s before anything is sent") func collect() throws {
    let names = [
      "lines", "long", "200-endless-body", "200-endless-headers", "502-html", "302-redirect", "200-bomb-gzip",
      "0-silence",
      "200-drip",
    ]
    let scene = try Scene(names + ["good"])
    let good = try RunningProcess(Programs.pushscope, scene.arguments("collect", "good") + ["--count", "5"])
    let peak = try good.waitForExitAndPeak().peak
    let sent = scene.service.said("request", by: "h2:good").count
    // All in parallel: nearly all of the time is waiting.
    let collectors = try names.map {
      ($0, try RunningProcess(Programs.pushscope, scene.arguments("collect", $0) + ["--count", "5"]))
    }
    for (name, collector) in collectors {
      var highest = 0
      let status: Int32 = try {
        let end = try collector.waitForExitAndPeak()
        highest = end.peak
        return end.status
      }()
      let said = collector.standardError
      #expect(status == 69, "\(name): \(said)")
      #expect(highest - peak < 20_000, "\(name): \(peak) kB became \(highest) kB")
      #expect(said.contains("no access token of probe@probe-1"), "\(name): \(said)")
      // Reported once and not at each attempt; repeated with growing pauses.
      #expect(said.utf8.count < 3_000, "\(name): \(said)")
      #expect((2...40).contains(scene.service.said("request", by: "h1:token-\(name)").count), "\(name)")
      let rows = try run(
        "sqlite3",
        [
          "-readonly", scene.installation.directory.file("\(name).sqlite"),
          "SELECT end_reason FROM run; SELECT count(*) FROM sample_view",
        ])
      #expect(rows.output == "failed\n0\n", "\(name): \(rows.output)")
    }
    #expect(scene.service.said("request", by: "h2:good").count == sent)
    #expect(scene.decoy.callers() == 0, "an assertion was sent to somebody else")
  }

  @Test(
    "may date its tokens as it likes: none is asked for again within a minute",
    arguments: ["negative", "zero", "1e300"])
  func lifetimes(name: String) throws {
    let scene = try Scene([name])
    let collector = try RunningProcess(
      Programs.pushscope, scene.arguments("collect", name) + ["--count", "30"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(scene.service.said("request", by: "h1:token-\(name)").count == 1)
    #expect(scene.service.said("request", by: "h2:good").count == 30)
  }
}
