import FoundationEssentials
import Measurement

/// The body of `POST /v1/receipts`, with every value checked for type and range. Unknown fields are ignored, so that devices
/// may be newer than the collector.
struct ReceiptBatch {
  /// A receipt as the device wrote it; the MAC is not checked yet.
  struct Entry: Equatable {
    var id: String
    var mac: String
    var receivedAt: WallTime
    var device: String
    var bootID: String?
    var monotonic: MonotonicTime?
    var stages: ReceiptStages
    var context: DeviceContext?
  }

  /// A clock exchange as the device wrote it; its stamps are not checked yet.
  struct Exchange: Equatable {
    var t1: Int64
    var t2: Int64
    var t3: Int64
    var t4: Int64
    var device: String
    var bootID: String?
  }

  /// What is wrong and where, for the sender. Never quotes the body.
  struct Malformed: Error, Equatable {
    var message: String
  }

  static let maximumCount = 100
  static let maximumDeviceBytes = 128
  /// The times that are taken, ms since 1970: up to the end of the year 9999.
  static let milliseconds: ClosedRange<Int64> = 0...253_402_300_799_999

  var entries: [Entry]
  var exchanges: [Exchange]

  init(json: Data) throws(Malformed) {
    let wire: Wire
    do {
      wire = try JSONDecoder().decode(Wire.self, from: json)
    } catch let error as DecodingError {
      throw Malformed(message: Self.explain(error))
    } catch {
      throw Malformed(message: "not JSON")
    }
    guard !wire.receipts.isEmpty else { throw Malformed(message: "receipts: empty, send 1 to 100") }
    guard wire.receipts.count <= Self.maximumCount else {
      throw Malformed(message: "receipts: more than 100")
    }
    entries = []
    entries.reserveCapacity(wire.receipts.count)
    for (index, receipt) in wire.receipts.enumerated() {
      entries.append(try Self.entry(receipt, index))
    }
    let clock = wire.clock ?? []
    guard clock.count <= Self.maximumCount else { throw Malformed(message: "clock: more than 100") }
    exchanges = []
    for (index, exchange) in clock.enumerated() {
      exchanges.append(try Self.exchange(exchange, index))
    }
  }

  /// Has all of it be of one device, whatever it says.
  mutating func name(_ device: String) {
    for index in entries.indices { entries[index].device = device }
    for index in exchanges.indices { exchanges[index].device = device }
  }

  private static func exchange(_ wire: Wire.Exchange, _ index: Int) throws(Malformed) -> Exchange {
    func check(_ holds: Bool, _ key: String, _ message: String) throws(Malformed) {
      guard holds else { throw Malformed(message: "clock[\(index)].\(key): \(message)") }
    }
    try check(wire.t1 >= 0, "t1", "negative")
    try check(wire.t2 >= 0, "t2", "negative")
    try check(wire.t3 >= 0, "t3", "negative")
    try check(wire.t4 >= 0, "t4", "negative")
    try check((1...maximumDeviceBytes).contains(wire.device.utf8.count), "device", "must have 1 to 128 bytes")
    if let boot = wire.bootID {
      try check((1...64).contains(boot.utf8.count), "boot_id", "must have 1 to 64 bytes")
    }
    return Exchange(
      t1: wire.t1, t2: wire.t2, t3: wire.t3, t4: wire.t4, device: wire.device, bootID: wire.bootID)
  }

  private static func entry(_ wire: Wire.Receipt, _ index: Int) throws(Malformed) -> Entry {
    func check(_ holds: Bool, _ key: String, _ message: String) throws(Malformed) {
      guard holds else { throw Malformed(message: "receipts[\(index)].\(key): \(message)") }
    }
    try check((1...64).contains(wire.id.utf8.count), "id", "not a UUID")
    try check((1...128).contains(wire.mac.utf8.count), "mac", "not a MAC")
    func time(_ value: Int64?, _ key: String) throws(Malformed) -> WallTime? {
      guard let value else { return nil }
      try check(milliseconds.contains(value), key, "out of range")
      return WallTime(microseconds: value * 1000)
    }
    try check(milliseconds.contains(wire.receivedAtMilliseconds), "received_at_ms", "out of range")
    try check((1...maximumDeviceBytes).contains(wire.device.utf8.count), "device", "must have 1 to 128 bytes")
    if let boot = wire.bootID {
      try check((1...64).contains(boot.utf8.count), "boot_id", "must have 1 to 64 bytes")
    }
    if let time = wire.monotonicNanoseconds { try check(time >= 0, "monotonic_ns", "negative") }
    return Entry(
      id: wire.id, mac: wire.mac,
      receivedAt: WallTime(microseconds: wire.receivedAtMilliseconds * 1000), device: wire.device,
      bootID: wire.bootID,
      monotonic: wire.bootID == nil
        ? nil : wire.monotonicNanoseconds.map { MonotonicTime(nanoseconds: $0) },
      stages: ReceiptStages(
        shownAt: try time(wire.shownAtMilliseconds, "shown_at_ms"),
        openedAt: try time(wire.openedAtMilliseconds, "opened_at_ms"),
        providerAt: try time(wire.providerAtMilliseconds, "provider_at_ms")),
      context: wire.context?.value.flatMap { $0.isEmpty ? nil : $0 })
  }

  private struct Wire: Decodable {
    struct Receipt: Decodable {
      enum CodingKeys: String, CodingKey {
        case id, mac, device, context
        case receivedAtMilliseconds = "received_at_ms"
        case bootID = "boot_id"
        case monotonicNanoseconds = "monotonic_ns"
        case shownAtMilliseconds = "shown_at_ms"
        case openedAtMilliseconds = "opened_at_ms"
        case providerAtMilliseconds = "provider_at_ms"
      }

      var id: String
      var mac: String
      var receivedAtMilliseconds: Int64
      var device: String
      var bootID: String?
      var monotonicNanoseconds: Int64?
      var shownAtMilliseconds: Int64?
      var openedAtMilliseconds: Int64?
      var providerAtMilliseconds: Int64?
      var context: Context?
    }

    /// Circumstances, or anything else, which is left out.
    struct Context: Decodable {
      var value: DeviceContext?

      init(from decoder: any Decoder) { value = try? DeviceContext(from: decoder) }
    }

    struct Exchange: Decodable {
      enum CodingKeys: String, CodingKey {
        case t1, t2, t3, t4, device
        case bootID = "boot_id"
      }

      var t1: Int64
      var t2: Int64
      var t3: Int64
      var t4: Int64
      var device: String
      var bootID: String?
    }

    var receipts: [Receipt]
    var clock: [Exchange]?
  }

  static func explain(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      return "\(place(context.codingPath + [key])): missing"
    case .typeMismatch(_, let context):
      return "\(place(context.codingPath)): of the wrong type"
    case .valueNotFound(_, let context):
      return "\(place(context.codingPath)): null"
    case .dataCorrupted:
      // Foundation does not tell the place of a number that does not fit an Int64.
      return "not JSON, or a number that is not whole or too large"
    @unknown default:
      return "not JSON"
    }
  }

  /// `receipts[3].device`. All names in it are this program's.
  private static func place(_ path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the body" : text
  }
}

/// The body of `POST /v1/clock`.
struct ClockQuestion: Decodable {
  /// The device's clock when it asked, nanoseconds since 1970; returned unchanged.
  var t1: Int64

  static func parse(json: Data) throws(ReceiptBatch.Malformed) -> ClockQuestion {
    do {
      let question = try JSONDecoder().decode(ClockQuestion.self, from: json)
      guard question.t1 >= 0 else { throw ReceiptBatch.Malformed(message: "t1: negative") }
      return question
    } catch let error as DecodingError {
      throw ReceiptBatch.Malformed(message: ReceiptBatch.explain(error))
    } catch let error as ReceiptBatch.Malformed {
      throw error
    } catch {
      throw ReceiptBatch.Malformed(message: "not JSON")
    }
  }
}
