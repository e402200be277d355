import Foundation
import Glibc
import Testing
import Threads

@Suite("Dedicated thread", .timeLimit(.minutes(10))) struct DedicatedThreadTests {
  @Test("has its name, and leaves signals to others") func nameAndSignals() async throws {
    let seen = FirstResult<(name: String, isBlocked: Bool, mayCrash: Bool), Never>()
    try DedicatedThread.start(name: "fifteen bytes !") {
      let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
      var set = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &set)
      seen.finish(
        .success(
          (
            name.trimmingCharacters(in: .newlines), sigismember(&set, SIGTERM) == 1,
            sigismember(&set, SIGSEGV) == 0
          )))
    }
    let found = await seen.value()
    #expect(found.name == "fifteen bytes !")
    #expect(found.isBlocked)
    #expect(found.mayCrash)
  }
}

@Suite("First result", .timeLimit(.minutes(10))) struct FirstResultTests {
  private struct Failure: Error, Equatable { var number: Int }

  @Test("the first result counts, for every waiting task and for later ones") func firstCounts() async throws
  {
    let result = FirstResult<Int, Failure>()
    async let early = result.value()
    async let alsoEarly = result.value()
    result.finish(.success(1))
    result.finish(.success(2))
    result.finish(.failure(Failure(number: 3)))
    #expect(try await early == 1)
    #expect(try await alsoEarly == 1)
    #expect(try await result.value() == 1)
  }

  @Test("an error reaches who waits") func failure() async {
    let result = FirstResult<Int, Failure>()
    result.finish(.failure(Failure(number: 3)))
    await #expect(throws: Failure(number: 3)) { try await result.value() }
  }
}

@Suite("Retry loop") struct RetryLoopTests {
  private struct Trouble: Error, Equatable { var number: Int }

  @Test("retries with a rest, and reports only where failure begins and ends") func retries() throws {
    var reports: [Int?] = []
    var rests: [Duration] = []
    var rounds = 0
    let loop = RetryLoop(every: .seconds(2)) { reports.append(($0 as? Trouble)?.number) }
    let value: Int = try loop.run(rest: { rests.append($0) }) {
      rounds += 1
      switch rounds {
      case 1, 4: return nil
      case 2, 3, 5: throw Trouble(number: rounds)
      default: return rounds
      }
    }
    #expect(value == 6)
    #expect(reports == [2, nil, 5, nil])
    #expect(rests == [.seconds(2), .seconds(2), .seconds(2)])
  }

  @Test("a stop among failures is not reported as a success") func stops() throws {
    var reports: [Int?] = []
    var rests: [Duration] = []
    var rounds = 0
    try RetryLoop(every: .seconds(2)) { reports.append(($0 as? Trouble)?.number) }
      .run(until: { rounds == 5 }, rest: { rests.append($0) }) {
        rounds += 1
        guard rounds == 2 || rounds == 3 else { throw Trouble(number: rounds) }
        return .milliseconds(250)
      }
    #expect(reports == [1, nil, 4])
    #expect(
      rests == [.seconds(2), .milliseconds(250), .milliseconds(250), .seconds(2), .seconds(2)])
  }

  @Test("an error that is not retried ends it, unreported") func ends() {
    var reports = 0
    #expect(throws: Trouble(number: 1)) {
      let _: Int = try RetryLoop(every: .seconds(1)) { _ in reports += 1 }
        .run(rest: { _ in Issue.record("rested") }, mayRetry: { _ in false }) { throw Trouble(number: 1) }
    }
    #expect(reports == 0)
  }
}

@Suite("Backoff") struct BackoffTests {
  @Test("pauses are doubled up to the longest, and begin anew after a success") func pauses() {
    var backoff = Backoff(first: .milliseconds(500), longest: .seconds(3))
    #expect(!backoff.isFailing && backoff.pause == .zero)
    let isFirst = backoff.failed()
    #expect(isFirst && backoff.isFailing && backoff.pause == .milliseconds(500))
    var pauses: [Duration] = []
    for _ in 0..<4 {
      let isFirst = backoff.failed()
      #expect(!isFirst)
      pauses.append(backoff.pause)
    }
    #expect(pauses == [.seconds(1), .seconds(2), .seconds(3), .seconds(3)])
    let ended = [backoff.succeeded(), backoff.succeeded()]
    #expect(ended == [true, false] && !backoff.isFailing && backoff.pause == .zero)
    let isFirstAgain = backoff.failed()
    #expect(isFirstAgain && backoff.pause == .milliseconds(500))
  }
}
