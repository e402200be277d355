import Foundation
import HTTPServer
import HTTPTestKit
import LoopbackService
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Configuration

/// What clients and the receipt listener saw must be what the script says, to the last one.
@Suite(.ownThread) struct ScriptCountTests {
  static let scenario = Scenario(
    seed: 100,
    answers: AnswerBehavior(
      delay: DelayDistribution(.exponential(mean: .milliseconds(3))),
      errors: [
        ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.05),
        ErrorAnswer(reason: "Unregistered", status: 410, probability: 0.05, isDelivered: true),
      ],
      faults: [
        AnswerFault(kind: .reset, probability: 0.03, isDelivered: true),
        AnswerFault(kind: .refuse, probability: 0.03),
        AnswerFault(kind: .silence, probability: 0.02),
      ]),
    deliveries: DeliveryBehavior(
      delay: DelayDistribution(.exponential(mean: .milliseconds(20))), lost: 0.1, duplicated: 0.1,
      reordered: .init(probability: 0.1, by: .milliseconds(60))))

  @Test func everythingIsAccountedFor() async throws {
    let count = 600
    let listener = TestReceiptListener()
    let folder = try TemporaryDirectory()
    let file = folder.file("script.jsonl")
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Self.scenario, receipts: destination, scriptFile: file) { fixture in
        let expected = Self.expected(count)
        try #require(expected.first?.isAccepted == true, "choose a seed whose first notification is accepted")
        let answered = expected.count { $0.isAnswered }
        let events = try await fixture.pushAll(count, waitingFor: answered)
        await fixture.server.settle(within: .seconds(20))

        let requests = await fixture.server.script().requests
        #expect(requests.map(\.index) == Array(0..<count))
        #expect(requests.map(\.id) == (0..<count).map(LoopbackFixture.id))
        for (request, scripted) in zip(requests, expected) { #expect(scripted.matches(request)) }

        // The client's side.
        func statuses(_ status: Int) -> Int { events.answers.count { $0.status == status } }
        #expect(statuses(200) == requests.count { $0.answer == .accepted })
        #expect(
          statuses(503) == requests.count { $0.answer == .refused(status: 503, reason: "ServiceUnavailable") }
        )
        #expect(
          statuses(410) == requests.count { $0.answer == .refused(status: 410, reason: "Unregistered") })
        #expect(events.resets.count { $0.code == 2 } == requests.count { $0.answer == .fault(.reset) })
        #expect(events.resets.count { $0.code == 7 } == requests.count { $0.answer == .fault(.refuse) })
        #expect(answered + requests.count { $0.answer == .fault(.silence) } == count)

        // The listener's side.
        var heard: [String: Int] = [:]
        for receipt in listener.receipts { heard[receipt.id, default: 0] += 1 }
        for request in requests { #expect(heard[request.id] ?? 0 == request.deliveries.count) }
        #expect(requests.contains { $0.isLost })
        #expect(requests.contains { $0.deliveries.count == 2 })

        // The device's own stamps came over unchanged. Batches on their way at the same time may overtake each other.
        let deliveries = await fixture.server.script().deliveries
        let stamps = deliveries.map { "\($0.id) \($0.receivedAt.nanoseconds)" }
        let heardStamps = listener.receipts.map { "\($0.id) \($0.monotonic_ns ?? 0)" }
        let isUnchanged = stamps.sorted() == heardStamps.sorted()
        #expect(isUnchanged)
        #expect(Set(listener.receipts.map(\.device)) == ["tester \"1\""])
        #expect(Set(listener.receipts.map(\.boot_id)).count == 1)
        #expect(listener.receipts.allSatisfy { $0.mac == "mac-\(Int($0.id.suffix(12), radix: 16) ?? -1)" })
        #expect(listener.batches.allSatisfy { (1...100).contains($0) })
        #expect(listener.paths == ["/v1/receipts"])

        let statistics = await fixture.server.statistics()
        #expect(statistics.lost == requests.count { $0.isLost })
        #expect(statistics.duplicated == requests.count { $0.deliveries.count == 2 })
        #expect(statistics.deliveries == deliveries.count)
        #expect(statistics.receipts.queued == deliveries.count)
        #expect(statistics.receipts.posted == deliveries.count)
        #expect(statistics.receipts.accepted == deliveries.count)

        // Nothing reached the device before its time.
        let due = Dictionary(
          uniqueKeysWithValues: requests.map { ($0.id, $0.arrivedAt + ($0.deliveries.min() ?? .zero)) })
        let early = deliveries.filter { $0.receivedAt < due[$0.id, default: .zero] }
        #expect(early.isEmpty)
      }
    }
    // The file says the same.
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    struct Line: Decodable {
      var entry: String
    }
    let kinds = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).entry }
    #expect(kinds.count { $0 == "request" } == count)
    #expect(kinds.count { $0 == "delivery" } == listener.receipts.count)
  }

  /// The same seed decides the same, whoever asks and however fast.
  @Test func repeatsItself() async throws {
    var scripts: [[ScriptedRequest.Answer]] = []
    for _ in 0..<2 {
      try await withLoopback(Self.scenario) { fixture in
        let answered = Self.expected(120).count { $0.isAnswered }
        _ = try await fixture.pushAll(120, waitingFor: answered)
        scripts.append(await fixture.server.script().requests.map(\.answer))
      }
    }
    #expect(scripts[0] == scripts[1])
  }
}

extension [ScriptEntry] {
  var requests: [ScriptedRequest] {
    compactMap { if case .request(let request) = $0 { request } else { nil } }
  }

  var deliveries: [ScriptedDelivery] {
    compactMap { if case .delivery(let delivery) = $0 { delivery } else { nil } }
  }
}
