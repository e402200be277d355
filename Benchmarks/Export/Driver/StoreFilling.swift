import Measurement
import Store

/// Fills a store with samples as a healthy run with a few troubles leaves them.
enum StoreFilling {
  /// Two targets, planned 1 ms apart; 97 % delivered, the rest lost, rejected, failed and missed. The same for the same
  /// number of rows, but for the run's id.
  static func fill(_ path: String, rows: Int) throws {
    let store = try CollectorStore.open(
      at: path, clock: SystemClock(), options: CollectorStoreOptions(bootID: "benchmark"))
    defer { store.close() }
    var generator = SystemRandomNumberGenerator()
    let start = WallTime(microseconds: 1_772_366_400_000_000)
    let run = try store.beginRun(
      RunDescription(
        id: RunID(at: start, using: &generator), name: "benchmark", startedAt: start,
        startedMonotonic: MonotonicTime(microseconds: 0), bootID: "benchmark",
        targets: ["loopback", "hook"].map {
          TargetDescription(name: $0, provider: "loopback", receiptDeadline: 30_000_000, askedRate: 1000)
        }))
    var random = SeededGenerator(seed: 7)
    for target in run.targets {
      let count = rows / run.targets.count
      for batch in stride(from: 1, through: count, by: 5000) {
        let samples = (batch..<min(batch + 5000, count + 1)).map { sequence in
          sample(target.id, Int64(sequence), start, using: &random)
        }
        _ = try store.commit(WriteBatch(run: run.run, inserted: samples))
      }
    }
    try store.endRun(run.run, at: start.advanced(byMicroseconds: Int64(rows) * 500), reason: .completed)
  }

  private static func sample(
    _ target: TargetID, _ sequence: Int64, _ start: WallTime, using random: inout SeededGenerator
  ) -> Sample {
    var sample = Sample(
      id: SampleID(target: target, sequence: sequence), variant: .none,
      plannedAt: start.advanced(byMicroseconds: sequence * 1000), plannedMonotonic: sequence * 1000)
    let fate = Int(random.next() % 1000)
    guard fate < 995 else { return ended(sample, .missed, reason: "in_flight") }
    sample.scheduleLag = Int64(random.next() % 120)
    sample.attempt = 1
    sample.payloadBytes = 182
    let isFresh = sequence % 10_000 == 1
    sample.connection = ConnectionUse(
      id: sequence / 10_000 + 1, age: sequence % 10_000, isFresh: isFresh,
      streamsInFlight: Int(random.next() % 20) + 1,
      phases: isFresh ? ConnectionPhases(dns: 300, connect: 400, tls: 2500) : nil)
    guard fate < 993 else { return ended(sample, .failed, reason: "timeout") }
    let service = 900 + Int64(random.next() % 4000)
    sample.serviceTime = service
    sample.timestampSource = .kernel
    sample.httpVersion = .http2
    sample.status = fate < 985 ? 200 : 410
    guard fate < 985 else { return ended(sample, .rejected, reason: "Unregistered") }
    sample.acceptLatency = (sample.scheduleLag ?? 0) + service
    guard fate < 975 else { return ended(sample, .lost, reason: nil) }
    sample.deliveryLatency = (sample.acceptLatency ?? 0) + 20_000 + Int64(random.next() % 200_000)
    sample.deliveryError = 0
    return ended(sample, .delivered, reason: nil)
  }

  private static func ended(_ sample: Sample, _ state: NotificationState, reason: String?) -> Sample {
    var sample = sample
    sample.state = state
    sample.reason = reason
    return sample
  }
}
