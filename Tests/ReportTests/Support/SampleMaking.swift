import Measurement
import StoreTestKit

extension Sample {
  /// Number `sequence` of a target, planned 250 ms after the one before.
  static func planned(_ target: TargetID, _ sequence: Int64, variant: VariantID = .none) -> Sample {
    let offset = (sequence - 1) * 250_000
    return Sample(
      id: SampleID(target: target, sequence: sequence), variant: variant,
      plannedAt: RecordedStore.start.advanced(byMicroseconds: offset), plannedMonotonic: offset)
  }

  /// With what a good answer brings.
  func accepted(lag: Int64, service: Int64) -> Sample {
    var sample = sent(lag: lag)
    sample.state = .accepted
    sample.status = 200
    sample.serviceTime = service
    sample.acceptLatency = lag + service
    sample.timestampSource = .kernel
    sample.httpVersion = .http2
    return sample
  }

  /// With what sending brings.
  func sent(lag: Int64) -> Sample {
    var sample = self
    sample.state = .inFlight
    sample.scheduleLag = lag
    sample.attempt = 1
    sample.payloadBytes = 180
    sample.connection = ConnectionUse(id: 1, age: 1500, isFresh: false, streamsInFlight: 2)
    return sample
  }

  /// With a receipt.
  func delivered(after latency: Int64, error: Int64 = 0) -> Sample {
    var sample = self
    sample.state = .delivered
    sample.deliveryLatency = latency
    sample.deliveryError = error
    return sample
  }

  func ended(_ state: NotificationState, reason: String? = nil, status: Int? = nil) -> Sample {
    var sample = self
    sample.state = state
    sample.reason = reason
    sample.status = status
    return sample
  }

  /// One of any state, with fields filled and left out at random.
  static func random(
    _ target: TargetID, _ sequence: Int64, variants: [VariantID], reasons: [String],
    using generator: inout some RandomNumberGenerator
  ) -> Sample {
    func latency() -> Int64 { .random(in: 0...5_000_000, using: &generator) }
    var sample = planned(target, sequence, variant: variants.randomElement(using: &generator) ?? .none)
    let state = NotificationState.allCases.randomElement(using: &generator) ?? .planned
    switch state {
    case .planned: return sample
    case .missed:
      return sample.ended(.missed, reason: MissedReason.allCases.randomElement(using: &generator)?.rawValue)
    case .failed where Bool.random(using: &generator):
      return sample.ended(.failed, reason: FailureReason.connect.rawValue)
    case .inFlight, .interrupted, .failed:
      sample = sample.sent(lag: latency()).ended(state, reason: reasons.randomElement(using: &generator))
    case .rejected:
      sample = sample.sent(lag: latency())
      sample.serviceTime = latency()
      sample = sample.ended(.rejected, reason: reasons.randomElement(using: &generator), status: 410)
    case .accepted, .lost:
      sample = sample.accepted(lag: latency(), service: latency()).ended(state, status: 200)
    case .delivered, .late:
      sample = sample.accepted(lag: latency(), service: latency()).delivered(after: latency())
      sample.state = state
    }
    sample.duplicates = .random(in: 0...2, using: &generator)
    sample.isOutOfOrder = Bool.random(using: &generator)
    if Bool.random(using: &generator) {
      sample.path = latency()
      sample.peerAck = latency()
    }
    if Bool.random(using: &generator) {
      let phases = ConnectionPhases(
        dns: latency(), connect: latency(), tls: Bool.random(using: &generator) ? latency() : nil)
      sample.connection = ConnectionUse(id: 7, age: 0, isFresh: true, streamsInFlight: 1, phases: phases)
    }
    return sample
  }
}
