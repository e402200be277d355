import Analysis
import Measurement
import Testing

@Suite struct NotificationSentenceTests {
  /// One of fcm, sent 1 ms after its plan, accepted 40 ms later and received 20 ms after that.
  private static func sample(
    _ state: NotificationState = .delivered, _ change: (inout Sample) -> Void = { _ in }
  )
    -> Sample
  {
    var sample = Sample(
      id: SampleID(target: TargetID(rawValue: 1), sequence: 1), variant: .none,
      plannedAt: WallTime(microseconds: 1_772_366_400_000_000), plannedMonotonic: 0)
    sample.state = state
    (sample.scheduleLag, sample.serviceTime, sample.acceptLatency) = (1_000, 40_000, 41_000)
    if state == .delivered || state == .late {
      (sample.deliveryLatency, sample.deliveryError) = (61_000, 0)
    }
    (sample.attempt, sample.status) = (1, 200)
    sample.connection = ConnectionUse(id: 3, age: 720_000, isFresh: false, streamsInFlight: 4)
    change(&sample)
    return sample
  }

  private static func text(_ sample: Sample, of metric: Metric? = nil) -> String {
    NotificationSentence(sample, provider: "fcm", receiptDeadline: .seconds(30)).text(of: metric)
  }

  @Test("what took the longest is told")
  func longest() {
    #expect(Self.text(Self.sample()) == "fcm took 40.0 ms to answer")
    #expect(
      Self.text(Self.sample { $0.deliveryLatency = 40_041_000 })
        == "arrived 40.0 s after it was accepted")
    #expect(
      Self.text(
        Self.sample { ($0.scheduleLag, $0.acceptLatency, $0.deliveryLatency) = (800_000, 840_000, 860_000) })
        == "left 800 ms late: this host")
    #expect(
      NotificationSentence(Self.sample(), provider: "", receiptDeadline: nil).text()
        == "the provider took 40.0 ms to answer")
  }

  @Test("a new connection, a place on it, and a second attempt are no fault of this host")
  func waiting() {
    func late(_ change: (inout Sample) -> Void) -> Sample {
      Self.sample {
        ($0.scheduleLag, $0.acceptLatency, $0.deliveryLatency) = (1_200_000, 1_240_000, 1_260_000)
        change(&$0)
      }
    }
    func fresh(_ phases: ConnectionPhases?) -> ConnectionUse {
      ConnectionUse(id: 4, age: 0, isFresh: true, streamsInFlight: 1, phases: phases)
    }
    let slow = ConnectionPhases(dns: 100_000, connect: 300_000, tls: 700_000)
    let quick = ConnectionPhases(dns: 1_000, connect: 3_000, tls: 7_000)
    #expect(Self.text(late { $0.connection = fresh(slow) }) == "waited 1.10 s for a new connection")
    #expect(Self.text(late { $0.connection = fresh(nil) }) == "waited 1.20 s for a new connection")
    #expect(Self.text(late { $0.connection = fresh(quick) }) == "left 1.20 s late: this host")
    #expect(
      Self.text(late { $0.connection?.streamsInFlight = 120 })
        == "left 1.20 s late: this host, or its connection had no place for it (120 in flight)")
    #expect(
      Self.text(late { $0.attempt = 2 })
        == "left 1.20 s late: its first connection ended before it was processed")
  }

  @Test("a slow way to the provider is told where it takes half of the answer")
  func roundTrip() {
    func slow(_ path: Int64) -> String {
      Self.text(
        Self.sample {
          ($0.serviceTime, $0.acceptLatency, $0.deliveryLatency, $0.path) = (
            2_100_000, 2_101_000, 2_121_000, path
          )
        })
    }
    #expect(slow(1_900_000) == "fcm took 2.10 s to answer, of which a round trip takes 1.90 s")
    #expect(slow(20_000) == "fcm took 2.10 s to answer")
    #expect(slow(2_200_000) == "fcm took 2.10 s to answer")
  }

  @Test("what is known within bounds is told with them")
  func bounds() {
    func received(_ error: Int64, _ high: Int64? = nil) -> String {
      Self.text(
        Self.sample { ($0.deliveryLatency, $0.deliveryError, $0.deliveryHigh) = (4_041_000, error, high) })
    }
    #expect(received(200_000) == "arrived 4.00 s (3.80 to 4.20 s) after it was accepted")
    #expect(received(4_041_000) == "arrived at most 4.00 s after it was accepted")
  }

  @Test("a receipt before the answer leaves what came after it was sent")
  func receiptBeforeAnswer() {
    let early = Self.sample { $0.deliveryLatency = 31_000 }
    #expect(Self.text(early) == "arrived 30.0 ms after it was sent, before fcm answered")
    #expect(NotificationLegs(early).parts.map(\.leg) == [.lag, .sentToReceived])
    let unanswered = Self.sample { ($0.serviceTime, $0.acceptLatency) = (nil, nil) }
    #expect(
      Self.text(unanswered) == "arrived 60.0 ms after it was sent, and no answer says that it was accepted")
    // Its answer took what it took.
    #expect(Self.text(early, of: .accept) == "fcm took 40.0 ms to answer")
  }

  @Test("only the parts of the metric are told of")
  func metrics() {
    let sample = Self.sample {
      ($0.scheduleLag, $0.acceptLatency, $0.deliveryLatency) = (90_000, 130_000, 9_000_000)
    }
    #expect(Self.text(sample, of: .accept) == "left 90.0 ms late: this host")
    #expect(Self.text(sample, of: .service) == "fcm took 40.0 ms to answer")
    #expect(NotificationLegs(sample, of: .accept).parts.map(\.leg) == [.lag, .service])
    #expect(
      NotificationLegs(sample).parts.map(\.length) == [
        .milliseconds(90), .milliseconds(40), .milliseconds(8_870),
      ])
  }

  @Test("a device that shows late is told of, where it reports that")
  func display() {
    let sample = Self.sample { $0.shownLatency = 3_061_000 }
    #expect(Self.text(sample) == "was shown 3.00 s after it arrived")
    #expect(Self.text(sample, of: .delivery) == "fcm took 40.0 ms to answer")
    #expect(NotificationLegs(sample, of: .shown).parts.map(\.leg) == [.lag, .service, .transit, .display])
    #expect(NotificationLegs(sample, of: .delivery).parts.map(\.leg) == [.lag, .service, .transit])
  }

  @Test(
    "what did not arrive is told why",
    arguments: [
      (NotificationState.planned, nil, nil, "not sent yet"),
      (.inFlight, nil, nil, "accepted after 41.0 ms, its receipt is awaited"),
      (.accepted, nil, nil, "fcm took 40.0 ms to answer"),
      (.lost, nil, nil, "fcm accepted it after 41.0 ms, and it did not arrive within 30.0 s"),
      (.rejected, 404, "UNREGISTERED", "fcm answered 404 (UNREGISTERED) after 40.0 ms"),
      (.failed, nil, "timeout", "failed: fcm did not answer in time"),
      (.failed, nil, "something new", "failed: something new"),
      (.missed, nil, "lag", "not sent: this host was too late for it"),
      (.missed, nil, "backoff", "not sent: paused after errors of fcm"),
      (.interrupted, nil, nil, "the collector ended before its end was known"),
    ] as [(NotificationState, Int?, String?, String)])
  func endings(state: NotificationState, status: Int?, reason: String?, text: String) {
    let sample = Self.sample(state) {
      ($0.status, $0.reason) = (status, reason)
      if state == .rejected { $0.acceptLatency = nil }
    }
    #expect(Self.text(sample) == text)
  }

  @Test("every reason has words of its own")
  func reasons() {
    let failures = FailureReason.allCases.map { reason in
      Self.text(Self.sample(.failed) { $0.reason = reason.rawValue })
    }
    let omissions = MissedReason.allCases.map { reason in
      Self.text(Self.sample(.missed) { $0.reason = reason.rawValue })
    }
    #expect(Set(failures + omissions).count == FailureReason.allCases.count + MissedReason.allCases.count)
    #expect((failures + omissions).allSatisfy { !$0.contains("_") })
  }

  @Test func aLateOneSaysItsDeadline() {
    let late = Self.sample(.late) { $0.deliveryLatency = 40_041_000 }
    #expect(Self.text(late) == "arrived 40.0 s after it was accepted, later than its deadline of 30.0 s")
    #expect(Self.text(late, of: .accept) == "fcm took 40.0 ms to answer")
  }

  @Test func connections() {
    func connection(_ use: ConnectionUse?) -> String? {
      NotificationSentence(Self.sample { $0.connection = use }, provider: "fcm", receiptDeadline: nil)
        .connection
    }
    #expect(connection(nil) == nil)
    #expect(
      connection(ConnectionUse(id: 3, age: 720_000, isFresh: false, streamsInFlight: 4))
        == "#3, open for 12 min, 4 in flight")
    #expect(
      connection(
        ConnectionUse(
          id: 4, age: 0, isFresh: true, streamsInFlight: 1,
          phases: ConnectionPhases(dns: 1_200, connect: 8_300, tls: 17_000)))
        == "#4, opened for it: name 1.20 ms, connect 8.30 ms, TLS 17.0 ms, 1 in flight")
  }
}
