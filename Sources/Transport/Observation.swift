import Measurement
import Providers

/// What the timing thread observed, as a value for the recorder.
public enum Observation: Sendable {
  /// The schedule's next block. It is sent only after the recorder has committed it.
  case planned(PlannedBlock)
  /// Plans that are not due yet will not be sent: the target goes on with another configuration, or ends.
  case withdrawn(TargetID, sequences: ClosedRange<Int64>)
  /// A request was written to the socket.
  case sent(SentRequest)
  /// The provider answered, with any status.
  case answered(AnsweredRequest)
  /// No answer will come. With `attempt` 0 it was not sent, because there was no connection.
  case failed(SampleID, reason: FailureReason, attempt: Int, detail: String, at: MonotonicTime)
  /// It was not sent and will not be.
  case missed(SampleID, reason: MissedReason, at: MonotonicTime)
  /// A PING was answered.
  case pinged(AnsweredPing)
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
  public var variants: [VariantID] = []
  /// Which of the target's configurations in this run planned it, from 0.
  public var generation = 0
  /// Why none of it will be sent; `nil` for what is to be sent.
  public var missed: MissedReason?

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
  public var attempt = 1
  public var httpVersion: HTTPVersion?
  /// The round trip, µs, of the newest PING that the connection had answered by then, if that was at most 30 s before.
  public var path: Int64?
  /// The time from the request's leaving until the peer's TCP had acknowledged it, µs, where the kernel says.
  public var peerAck: Int64?
  /// The provider's own id of the notification.
  public var answerID: String?
}

/// A PING that was answered.
public struct AnsweredPing: Sendable, Equatable {
  public var target: TargetID
  public var connectionID: Int64
  /// When the answer arrived.
  public var at: MonotonicTime
  /// µs.
  public var roundTrip: Int64
}
