import Configuration
import Glibc
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
}

/// A delivery to a remote device, on this host's clock and on the device's.
public struct ScriptedReception: Sendable, Equatable {
  public var id: String
  /// On this host's clock.
  public var receivedAt: MonotonicTime
  /// On the device's clock.
  public var deviceTime: WallTime
}

extension ScriptEntry {
  /// One line of a script file. Times are in µs; `arrived_us` and `received_us` on CLOCK_MONOTONIC.
  var json: String {
    switch self {
    case .request(let request): request.json
    case .delivery(let delivery):
      "{\"entry\":\"delivery\",\"dialect\":\"\(delivery.dialect.rawValue)\",\"index\":\(delivery.index),\"id\":\"\(delivery.id)\","
        + "\"received_us\":\(delivery.receivedAt.microseconds)}"
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

/// Records the script in memory, in a file, or not at all. Used on the service's event loop.
final class ScriptRecorder {
  private static let chunk = 64 * 1024

  private(set) var entries: [ScriptEntry] = []
  /// Entries beyond the capacity of memory.
  private(set) var dropped = 0
  private let capacity: Int
  private let file: Int32?
  private var unwritten: [UInt8] = []

  /// - Parameters:
  ///   - capacity: how many entries memory may hold; 0 for none.
  ///   - path: a file of JSON lines, written anew.
  init(capacity: Int, path: String?) throws(LoopbackError) {
    self.capacity = capacity
    guard let path else {
      file = nil
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw LoopbackError(
        .cannotWrite, place: path,
        message: "the script cannot be written there (\(String(cString: strerror(errno))))",
        remedy: "name a file in a directory that you may write to")
    }
    file = descriptor
  }

  deinit { closeFile() }

  var isRecording: Bool { capacity > 0 || file != nil }

  func record(_ entry: ScriptEntry) {
    if capacity > 0 {
      if entries.count < capacity { entries.append(entry) } else { dropped += 1 }
    }
    guard file != nil else { return }
    unwritten.append(contentsOf: entry.json.utf8)
    unwritten.append(UInt8(ascii: "\n"))
    if unwritten.count >= Self.chunk { flush() }
  }

  /// Writes buffered entries. On a full disk the rest of the script is lost; the service continues.
  func flush() {
    guard let file else { return }
    var rest = unwritten[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { break }
      rest = rest.dropFirst(written)
    }
    unwritten.removeAll(keepingCapacity: true)
  }

  private func closeFile() {
    flush()
    if let file { close(file) }
  }
}
