import Foundation
import Measurement
import StoreTestKit
import TestKit

@testable import Store

/// A collector with two runs, long enough for what is usual to be known in the second.
final class FleetRecording {
  let directory: TemporaryDirectory
  let clock = SteppedHostClock()
  let store: CollectorStore
  private(set) var runs: [RunRegistration] = []
  private var generator: SeededGenerator

  init(_ labels: [String: String], seed: UInt64, seconds: [Int] = [2_000, 330]) throws {
    directory = try TemporaryDirectory("recording")
    generator = SeededGenerator(seed: seed)
    store = try CollectorStore.open(
      at: directory.storePath, clock: clock, options: .init(bootID: StoreFixture.bootID))
    for length in seconds { try record(seconds: length, labels) }
  }

  private func record(seconds: Int, _ labels: [String: String]) throws {
    let run = RunID(at: clock.wallNow(), using: &generator)
    let began = clock.wallNow()
    let registration = try store.beginRun(
      RunDescription(
        id: run, name: runs.isEmpty ? nil : "second \"run\"", startedAt: began,
        startedMonotonic: clock.monotonicNow(), bootID: StoreFixture.bootID, labels: labels,
        targets: [
          TargetDescription(
            name: "ios", provider: "apns", receiptDeadline: 5_000_000, askedRate: 4,
            variants: ["priority=10", "priority=5"], endpoint: "https://push.example.com:443",
            device: "pixel"),
          TargetDescription(name: "web", provider: "webpush", receiptDeadline: nil, askedRate: 4),
        ]))
    runs.append(registration)
    for target in registration.targets {
      var samples: [Sample] = []
      let (wall, monotonic) = (clock.wallNow(), clock.monotonicNow().microseconds)
      for index in 0..<Int64(seconds * 4) {
        let variants = target.variants.isEmpty ? [.none] : target.variants
        samples.append(
          sample(
            Sample(
              id: SampleID(target: target.id, sequence: index + 1),
              variant: variants[Int(index) % variants.count],
              plannedAt: wall.advanced(byMicroseconds: index * 250_000),
              plannedMonotonic: monotonic + index * 250_000), expectsReceipts: target.name == "ios"))
      }
      let pings = (0..<Int64(seconds / 10)).map { index in
        PingAnswer(
          target: target.id, connectionID: 1, at: wall.advanced(byMicroseconds: index * 10_000_000 + 7),
          roundTrip: 12_000 + .random(in: 0...4_000, using: &generator))
      }
      let receipts = samples.filter { $0.deliveryLatency != nil }.prefix(300).map { sample in
        Receipt(
          sample: sample.id, device: "pixel", receivedAt: sample.plannedAt, arrivedAt: sample.plannedAt,
          isSameClock: false, offset: -3, offsetError: 12, isDuplicate: sample.id.sequence % 3 == 0)
      }
      let end = wall.advanced(byMicroseconds: Int64(seconds) * 1_000_000)
      _ = try store.commit(
        WriteBatch(
          run: run, inserted: samples, receipts: Array(receipts),
          events: [
            Event(at: wall, kind: .connected, target: target.id, connectionID: 1, detail: "it's\t\\here\n"),
            Event(at: end, kind: .clockStep, detail: "1 s"),
          ], log: [LogLine(at: end, level: .warning, target: target.id, label: "curl", message: "a 'b'")],
          anchors: [], pings: pings))
    }
    clock.advance(by: .seconds(seconds + 60))
    try store.endRun(run, at: clock.wallNow(), reason: .completed)
    clock.advance(by: .seconds(600))
    while try store.rollUp() {}
  }

  /// Of any final state, with latencies over many orders of magnitude.
  private func sample(_ planned: Sample, expectsReceipts: Bool) -> Sample {
    func latency(_ typical: Double) -> Int64 {
      Int64(typical * pow(2, .random(in: -1...1, using: &generator)))
    }
    var sample = planned
    let chance = Int.random(in: 0..<100, using: &generator)
    if chance == 0 { return sample.asMissed(.lag) }
    sample.scheduleLag = .random(in: 10...3_000, using: &generator)
    sample.attempt = 1
    sample.payloadBytes = 200
    sample.connection = ConnectionUse(
      id: 1, age: 900, isFresh: chance == 1, streamsInFlight: 2,
      phases: chance == 1 ? ConnectionPhases(dns: 10, connect: 2_000, tls: nil) : nil)
    if chance == 2 {
      sample.state = .failed
      sample.reason = FailureReason.connect.rawValue
      return sample
    }
    sample.serviceTime = latency(30_000)
    sample.timestampSource = .kernel
    sample.httpVersion = .http2
    sample.status = 200
    sample.path = latency(12_000)
    sample.peerAck = latency(11_000)
    if chance == 3 {
      (sample.state, sample.status, sample.reason) = (.rejected, 410, "it's \"gone\"")
      return sample
    }
    sample.acceptLatency = (sample.scheduleLag ?? 0) + (sample.serviceTime ?? 0)
    sample.state = .accepted
    guard expectsReceipts else { return sample }
    sample.state = .lost
    guard chance > 6 else { return sample }
    sample.state = chance == 7 ? .late : .delivered
    sample.deliveryLatency = latency(chance == 7 ? 20_000_000 : 180_000)
    sample.deliveryError = [0, 15, 40_000_000].randomElement(using: &generator)
    if chance < 20 { sample.deliveryHigh = (sample.deliveryLatency ?? 0) + 700 }
    sample.duplicates = chance == 30 ? 2 : 0
    sample.isOutOfOrder = chance == 31
    return sample
  }

  /// A finding that is over: what it covers is no part of what is usual.
  func find(_ id: String, from: Int64, to: Int64) throws {
    let run = runs[0]
    guard let record = try StoreReader.open(at: store.path).run(run.run) else { return }
    func time(_ seconds: Int64) -> WallTime {
      record.startedAt.advanced(byMicroseconds: seconds * 1_000_000)
    }
    var finding = FindingRecord(
      id: id, incident: id, run: run.run, target: "ios", variant: "priority=5", provider: "apns",
      endpoint: "https://push.example.com:443", device: "pixel", metric: .delivery, kind: .slower,
      status: .closed, startedAt: time(from), detectedAt: time(from + 9), seenUntil: time(to + 9))
    finding.endedAt = time(to)
    finding.startedLow = time(from - 3)
    finding.quantile = 0.5
    finding.before = 180_000
    finding.after = 900_000
    finding.shareBefore = 0.015
    finding.cause = .providerDelivery
    finding.causes = [.providerDelivery, .device]
    finding.evidence = "it's slow"
    finding.samples = 77
    finding.effectiveSamples = 12.5
    var changes = FindingChanges()
    changes.findings = [finding]
    try store.save(changes)
  }

  func reader() throws -> StoreReader { try StoreReader.open(at: store.path) }
}
