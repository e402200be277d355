import Configuration
import Foundation
import TestKit
import Testing

@testable import LoopbackService

/// The shipped scenario files are the specification: what each says happens. ``ScenarioExpectation/all`` has their numbers and
/// plays; a file without an entry there fails all three tests.
@Suite struct ScenarioFileTests {
  private static let folder = Programs.repository + "/config/scenarios"

  private static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?
    .map { $0.hasSuffix(".yaml") ? String($0.dropLast(5)) : $0 }.sorted() ?? []

  private static func file(_ name: String) throws -> (scenario: Scenario, promise: ScenarioExpectation) {
    let promise = try #require(
      ScenarioExpectation.all[name],
      "write down in ScenarioExpectation.all what \(name).yaml promises, and play it")
    return (try Scenario.load(path: "\(folder)/\(name).yaml"), promise)
  }

  @Test func eachPromiseHasItsFile() {
    #expect(Self.names == ScenarioExpectation.all.keys.sorted())
  }

  @Test(arguments: names) func saysWhatIsPromised(name: String) throws {
    let (scenario, promise) = try Self.file(name)
    #expect(scenario == promise.written)
  }

  @Test(arguments: names) func isPlayed(name: String) async throws {
    let (scenario, promise) = try Self.file(name)
    try await promise.play(scenario)
  }

  /// What the file has in store for thousands of notifications, in each dialect and each episode: shares within 4.5
  /// standard deviations of the binomial distribution, delays within Kolmogorov's and Smirnov's distance. Seeded, so
  /// either right or wrong.
  @Test(arguments: names) func drawsWhatIsPromised(name: String) throws {
    let (scenario, promise) = try Self.file(name)
    let times = [.zero] + promise.written.episodes.map(\.window.from)
    // Without a section of its own one dialect is like another.
    let dialects = promise.written.dialects.isEmpty ? [.apns] : ScenarioDialect.allCases
    for time in times {
      for dialect in dialects {
        let draws = OutcomeDraws(of: dialect, at: time, in: scenario, count: 4000)
        for problem in draws.problems(with: promise.written.behavior(of: dialect, at: time)) {
          Issue.record("\(dialect) at \(time): \(problem)")
        }
      }
    }
  }
}
