import Measurement
import Providers

/// What the timing thread observed, as a value for the recorder.
public enum Observation: Sendable {
  /// The schedule's next block. It is sent only after the recorder has committed it.
  case planned(PlannedBlock)
  /// A request was written to the socket.
  case sent(SentRequest)
  /// The provider answered, with any status.
  case answered(AnsweredRequest)
  /// No answer will come. With `attempt` 0 it was not sent, because there was no connection.
  case failed(SampleID, reason: FailureReason, attempt: Int, detail: String, at: MonotonicTime)
  /// It was not sent and will not be.
  case missed(SampleID, reason: MissedReason, at: MonotonicTime)
  /// An event of a target rather than of a notification: connections, limits, pauses.
  case event(Event)
  /// A line for the log.
  case log(LogLine)
}

/// Consecutive sequence numbers of one target and their planned instants.
public struct PlannedBlock: Sendable, Equatable {
  public var target: TargetID
  public var firstSequence: Int64
  /// One instant per sequence number, ascending.
  public var planned: [MonotonicTime]
  /// One variant per sequence number; empty when the target has none.
  public var variants: [VariantID]

  public init(
    target: TargetID, firstSequence: Int64, planned: [MonotonicTime], variants: [VariantID] = []
  ) {
    self.target = target
    self.firstSequence = firstSequence
    self.planned = planned
    self.variants = variants
  }

  public var lastSequence: Int64 { firstSequence + Int64(planned.count) - 1 }
}

/// A request that was sent.
public struct SentRequest: Sendable, Equatable {
  public var id: SampleID
  /// When the driver took the packet; without a stamp of the kernel, just before the corked batch was released.
  public var at: MonotonicTime
  public var payloadBytes: Int
  /// Set when it is sent, so that a request without an answer has it too.
  public var connection: ConnectionUse?

  public init(id: SampleID, at: MonotonicTime, payloadBytes: Int, connection: ConnectionUse? = nil) {
    self.id = id
    self.at = at
    self.payloadBytes = payloadBytes
    self.connection = connection
  }
}

/// A request that was answered.
public struct AnsweredRequest: Sendable, Equatable {
  public var id: SampleID
  /// When the answer's headers were complete, by `source`.
  public var at: MonotonicTime
  public var source: TimestampSource
  public var status: Int
  public var isAccepted: Bool
  /// The provider's reason when it did not accept.
  public var reason: String?
  public var connection: ConnectionUse?
  public var attempt: Int
  public var httpVersion: HTTPVersion?

  public init(
    id: SampleID, at: MonotonicTime, source: TimestampSource, status: Int, isAccepted: Bool,
    reason: String? = nil, connection: ConnectionUse? = nil, attempt: Int = 1,
    httpVersion: HTTPVersion? = nil
  ) {
    self.id = id
    self.at = at
    self.source = source
    self.status = status
    self.isAccepted = isAccepted
    self.reason = reason
    self.connection = connection
    self.attempt = attempt
    self.httpVersion = httpVersion
  }
}
