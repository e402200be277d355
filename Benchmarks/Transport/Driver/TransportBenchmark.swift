import CLinux
import Collector
import Dispatch
import Glibc
import Measurement
import Providers
import Synchronization
import Transport

/// Drives the timing thread against a server that is already running, without a store: what the transport itself can do.
///
///     TransportBenchmark throughput URL CA-FILE REQUESTS STREAMS BODY-BYTES
///     TransportBenchmark lag URL CA-FILE RATE SECONDS BODY-BYTES
///     TransportBenchmark memory URL CA-FILE RATE SECONDS BODY-BYTES
///
/// `throughput` asks for far more than any server answers and lets the queue wait: as many as STREAMS are always under
/// way, so what comes out is the transport's ceiling. `lag` runs an open loop at RATE and prints how late it sends. `memory` does
/// too, against a server that takes its time, and prints what the heap holds for a request that is under way.
@main
struct TransportBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 7, let amount = Int64(arguments[4]), let other = Int(arguments[5]),
      let bytes = Int(arguments[6])
    else {
      print(
        "usage: TransportBenchmark throughput|lag|memory URL CA-FILE REQUESTS|RATE STREAMS|SECONDS BODY-BYTES"
      )
      exit(64)
    }
    switch arguments[1] {
    case "throughput":
      try throughput(url: arguments[2], caFile: arguments[3], requests: amount, streams: other, bytes: bytes)
    case "memory":
      try memory(url: arguments[2], caFile: arguments[3], rate: amount, seconds: other, bytes: bytes)
    default: try lag(url: arguments[2], caFile: arguments[3], rate: amount, seconds: other, bytes: bytes)
    }
  }

  private static func throughput(url: String, caFile: String, requests: Int64, streams: Int, bytes: Int)
    throws
  {
    // More than any peer answers: the plan must not be what limits the rate.
    let outcome = try Outcome.run(
      url: url, caFile: caFile, rate: 1_000_000, bytes: bytes, streams: streams,
      limits: ScheduleLimits(maxInFlight: 1_000_000, maxLag: .seconds(3600), count: requests),
      keeping: .counts)
    // The first request opens the connection; the clock starts with its answer, as it does for the peers.
    let span = Double(outcome.lastAnswer - outcome.firstAnswer) / 1e9
    let rate = Double(outcome.answered - 1) / span
    print(
      "pushscope transport: \(outcome.answered) requests, \(outcome.bad) bad, \(outcome.missed) missed, \(thousandths(span)) s, \(Int(rate))/s"
    )
  }

  private static func lag(url: String, caFile: String, rate: Int64, seconds: Int, bytes: Int) throws {
    let outcome = try Outcome.run(
      url: url, caFile: caFile, rate: rate, bytes: bytes, streams: 1000,
      limits: ScheduleLimits(duration: .seconds(seconds)))
    print(
      "pushscope at \(rate)/s: \(outcome.answered) answered, \(outcome.bad) bad, \(outcome.missed) missed")
    print("  schedule lag  \(quantiles(outcome.lags))")
    print("  service time  \(quantiles(outcome.services))")
    let loop = outcome.statistics.loopLag
    print("  loop lag      p50 \(loop.median / 1000) p99 \(loop.p99 / 1000) max \(loop.maximum / 1000) µs")
    if let target = outcome.statistics.targets.first {
      print(
        "  answers stamped by the kernel \(target.kernelStamps), by the callback \(target.callbackStamps);"
          + " requests by the kernel \(target.kernelSentStamps), by ourselves \(target.ownSentStamps)")
    }
  }

  private static func memory(url: String, caFile: String, rate: Int64, seconds: Int, bytes: Int) throws {
    let heap = HeapPerStream()
    _ = try Outcome.run(
      url: url, caFile: caFile, rate: rate, bytes: bytes, streams: 1000,
      limits: ScheduleLimits(duration: .seconds(seconds)), keeping: .counts, watching: heap)
    print(heap.words)
  }

  private static func quantiles(_ nanoseconds: [Int64]) -> String {
    let sorted = nanoseconds.sorted()
    guard let last = sorted.last else { return "nothing" }
    let picked = [0.5, 0.99, 0.999].map { share in
      "p\(thousandths(share * 100)) \(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / 1000)"
    }
    return picked.joined(separator: "  ") + "  max \(last / 1000) µs"
  }

  private static func thousandths(_ value: Double) -> String {
    let scaled = Int((value * 1000).rounded())
    return "\(scaled / 1000)" + (scaled % 1000 == 0 ? "" : ".\(String(1000 + scaled % 1000).dropFirst())")
  }
}

/// What a run gave.
struct Outcome: Sendable {
  var answered = 0
  var bad = 0
  var missed = 0
  var firstAnswer: Int64 = 0
  var lastAnswer: Int64 = 0
  var lags: [Int64] = []
  var services: [Int64] = []
  var statistics = TimingStatistics()
  private var planned: [Int64: MonotonicTime] = [:]
  private var sent: [SampleID: MonotonicTime] = [:]

  enum Keeping {
    /// How many there were, counted where they are told: it costs the transport's processor hardly anything.
    case counts
    /// The times of each request as well.
    case times
  }

  static func run(
    url: String, caFile: String, rate: Int64, bytes: Int, streams: Int, limits: ScheduleLimits,
    keeping: Keeping = .times, watching heap: HeapPerStream? = nil
  ) throws -> Outcome {
    guard let arrivals = ArrivalRate(rate, per: .seconds(1)) else { return Outcome() }
    let target = TransportTarget(
      id: TargetID(rawValue: 1),
      providers: [HTTPProvider(url: url, body: [UInt8](repeating: 0x78, count: bytes))],
      arrivals: .constant(arrivals), limits: limits, caFile: caFile, maximumStreams: streams, seed: 1)
    var generator = SeededGenerator(seed: 1)
    let outcome = Gathered()
    let thread = try TimingThread(
      run: RunID(at: SystemClock().wallNow(), using: &generator), targets: [target]
    ) { observations in
      heap?.receive(observations)
      outcome.receive(observations, keeping: keeping)
    }
    outcome.thread.withLock { $0 = thread }
    let recorder = Thread(outcome)
    try thread.start { outcome.news.signal() }
    recorder.runUntilEnded(thread)
    return outcome.result.withLock { result in
      result.statistics = thread.statistics
      return result
    }
  }

  mutating func count(_ observation: Observation) {
    switch observation {
    case .answered(let answer):
      answered += 1
      if !answer.isAccepted { bad += 1 }
      if firstAnswer == 0 { firstAnswer = answer.at.nanoseconds }
      lastAnswer = max(lastAnswer, answer.at.nanoseconds)
    case .failed: bad += 1
    case .missed: missed += 1
    case .planned, .sent, .withdrawn, .pinged, .event, .log: break
    }
  }

  mutating func apply(_ observation: Observation) {
    count(observation)
    switch observation {
    case .planned(let block):
      for (offset, instant) in block.planned.enumerated() {
        planned[block.firstSequence + Int64(offset)] = instant
      }
    case .sent(let request):
      sent[request.id] = request.at
      if let instant = planned.removeValue(forKey: request.id.sequence) {
        lags.append((request.at - instant).nanoseconds)
      }
    case .answered(let answer):
      if let start = sent.removeValue(forKey: answer.id) { services.append((answer.at - start).nanoseconds) }
    case .failed, .missed, .withdrawn, .pinged, .event, .log: break
    }
  }
}

/// Stands in for the recorder: commits blocks at once, books the rest on the main thread.
final class Gathered: Sendable {
  let thread = Mutex<TimingThread?>(nil)
  let result = Mutex(Outcome())
  let inbox = Mutex<[Observation]>([])
  let news = DispatchSemaphore(value: 0)

  func receive(_ observations: [Observation], keeping: Outcome.Keeping) {
    for case .planned(let block) in observations {
      thread.withLock { $0 }?.committed(block.target, through: block.lastSequence)
    }
    switch keeping {
    case .counts: result.withLock { result in for observation in observations { result.count(observation) } }
    case .times: inbox.withLock { $0 += observations }
    }
  }
}

/// What the heap holds, by how many requests are under way: the slope is what one of them costs.
final class HeapPerStream: Sendable {
  private struct Readings {
    var inFlight = 0
    var count = 0.0
    var x = 0.0
    var y = 0.0
    var xx = 0.0
    var xy = 0.0
    var most = 0
  }

  private static let read: @Sendable () -> mallinfo2 = mallinfo2
  private let readings = Mutex(Readings())

  /// Called on the timing thread, where the memory is taken and given back.
  func receive(_ observations: [Observation]) {
    readings.withLock { readings in
      for observation in observations {
        switch observation {
        case .sent: readings.inFlight += 1
        case .answered, .failed: readings.inFlight -= 1
        case .planned, .withdrawn, .missed, .pinged, .event, .log: break
        }
      }
      let heap = Self.read()
      let x = Double(readings.inFlight)
      let y = Double(heap.uordblks + heap.hblkhd)
      readings.count += 1
      readings.x += x
      readings.y += y
      readings.xx += x * x
      readings.xy += x * y
      readings.most = max(readings.most, readings.inFlight)
    }
  }

  var words: String {
    readings.withLock { readings in
      let spread = readings.count * readings.xx - readings.x * readings.x
      guard spread > 0 else { return "memory: nothing was under way" }
      let slope = (readings.count * readings.xy - readings.x * readings.y) / spread
      return "memory: \(Int(slope.rounded())) bytes a request under way, with up to \(readings.most) of them"
    }
  }
}

/// Books what was gathered every 25 ms, as the recorder does.
struct Thread {
  let outcome: Gathered

  init(_ outcome: Gathered) { self.outcome = outcome }

  func runUntilEnded(_ thread: TimingThread) {
    var isOver = false
    while !isOver {
      isOver = outcome.news.wait(timeout: .now() + .milliseconds(25)) == .success
      let taken = outcome.inbox.withLock { inbox in
        let taken = inbox
        inbox = []
        return taken
      }
      outcome.result.withLock { result in for observation in taken { result.apply(observation) } }
    }
  }
}
