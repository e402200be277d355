import Configuration
import Measurement

/// A recorded event of the service, to verify a collector's figures.
public enum ScriptEntry: Sendable, Equatable {
  case request(ScriptedRequest)
  case delivery(ScriptedDelivery)
  case reception(ScriptedReception)
}

/// A request and its outcome.
public struct ScriptedRequest: Sendable, Equatable {
  /// What the request was answered.
  public enum Answer: Sendable, Equatable {
    case accepted
    case refused(status: Int, reason: String)
    case fault(AnswerFault.Kind)
  }

  public var dialect = ScenarioDialect.apns
  /// Number among the dialect's valid requests, from 0; `nil` for an invalid one.
  public var index: Int?
  /// The `apns-id`; in other dialects the payload's id, or else the service's.
  public var id: String
  public var connection: Int
  public var arrivedAt: MonotonicTime
  /// Scenario time of arrival.
  public var at: Duration
  public var answer: Answer
  /// Time from `at` to the response, freezes included.
  public var answerAfter: Duration
  /// Times from `at` to the device, freezes included.
  public var deliveries: [Duration]
  public var isLost: Bool
  public var isReordered: Bool
  public var episode: String?
}

/// A delivery to the device.
public struct ScriptedDelivery: Sendable, Equatable {
  public var dialect = ScenarioDialect.apns
  public var index: Int
  public var id: String
  public var receivedAt: MonotonicTime
  /// How long after that the device shows it; `nil` where it does not report that, or does not show it.
  public var shownAfter: Duration?
}

/// A delivery to a remote device, on this host's clock and on the device's.
public struct ScriptedReception: Sendable, Equatable {
  public var id: String
  /// When it was received, on this host's clock.
  public var receivedAt: MonotonicTime
  /// When it was received, on the device's clock.
  public var deviceTime: WallTime
}

extension ScriptEntry {
  /// One line of a script file. Times are in µs; `arrived_us` and `received_us` on CLOCK_MONOTONIC.
  var json: String {
    switch self {
    case .request(let request): request.json
    case .delivery(let delivery):
      "{\"entry\":\"delivery\",\"dialect\":\"\(delivery.dialect.rawValue)\",\"index\":\(delivery.index),\"id\":\"\(delivery.id)\","
        + "\"received_us\":\(delivery.receivedAt.microseconds)"
        + (delivery.shownAfter.map { ",\"shown_after_us\":\($0.microseconds)" } ?? "") + "}"
    case .reception(let reception):
      "{\"entry\":\"reception\",\"id\":\"\(reception.id)\",\"received_us\":\(reception.receivedAt.microseconds),"
        + "\"device_us\":\(reception.deviceTime.microseconds)}"
    }
  }
}

extension ScriptedRequest {
  fileprivate var json: String {
    var line = "{\"entry\":\"request\",\"dialect\":\"\(dialect.rawValue)\","
    line += "\"index\":\(index.map { String($0) } ?? "null"),\"id\":\"\(id)\","
    line +=
      "\"connection\":\(connection),\"arrived_us\":\(arrivedAt.microseconds),\"at_us\":\(at.microseconds),"
    switch answer {
    case .accepted:
      line += "\"answer\":\"accepted\",\"status\":\(dialect == .webpush ? 201 : 200),"
    case .refused(let status, let reason):
      line += "\"answer\":\"refused\",\"status\":\(status),\"reason\":\(JSONText.quoted(reason)),"
    case .fault(let kind): line += "\"answer\":\"\(kind.rawValue)\","
    }
    line += "\"answer_after_us\":\(answerAfter.microseconds),"
    line += "\"deliveries_us\":[\(deliveries.map { String($0.microseconds) }.joined(separator: ","))],"
    line += "\"lost\":\(isLost),\"reordered\":\(isReordered)"
    if let episode { line += ",\"episode\":\(JSONText.quoted(episode))" }
    return line + "}"
  }
}
