/// The columns of the `sample` table in the order in which they are written and read.
enum SampleColumn: Int32, CaseIterable {
  case id
  case variant
  case plannedAt
  case plannedMonotonic
  case state
  case status
  case reason
  case scheduleLag
  case serviceTime
  case acceptLatency
  case deliveryLatency
  case deliveryError
  case timestampSource
  case duplicates
  case outOfOrder
  case connectionID
  case connectionAge
  case freshConnection
  case streamsInFlight
  case attempt
  case payloadBytes
  case dns
  case connect
  case tls
  case httpVersion
  case deliveryHigh
  case peerAck
  case path

  static let count = allCases.count

  var name: String {
    switch self {
    case .id: "id"
    case .variant: "variant_id"
    case .plannedAt: "planned_at"
    case .plannedMonotonic: "planned_monotonic_us"
    case .state: "state"
    case .status: "status"
    case .reason: "reason"
    case .scheduleLag: "schedule_lag_us"
    case .serviceTime: "service_us"
    case .acceptLatency: "accept_us"
    case .deliveryLatency: "delivery_us"
    case .deliveryError: "delivery_error_us"
    case .timestampSource: "timestamp_source"
    case .duplicates: "duplicates"
    case .outOfOrder: "out_of_order"
    case .connectionID: "connection_id"
    case .connectionAge: "connection_age_ms"
    case .freshConnection: "fresh_connection"
    case .streamsInFlight: "streams_in_flight"
    case .attempt: "attempt"
    case .payloadBytes: "payload_bytes"
    case .dns: "dns_us"
    case .connect: "connect_us"
    case .tls: "tls_us"
    case .httpVersion: "http_version"
    case .deliveryHigh: "delivery_high_us"
    case .peerAck: "peer_ack_us"
    case .path: "path_us"
    }
  }

  /// All columns, for SELECT and INSERT.
  static let list = allCases.map(\.name).joined(separator: ", ")

  /// The columns that are never NULL, one bit each.
  static let requiredMask: UInt32 = [
    Self.id, .variant, .plannedAt, .plannedMonotonic, .state, .duplicates, .outOfOrder, .attempt,
  ].reduce(0) { $0 | 1 << UInt32($1.rawValue) }

  /// The columns of the plan, which never change.
  private static let fixed: Set<SampleColumn> = [.id, .variant, .plannedAt, .plannedMonotonic]

  static let changing = allCases.filter { !fixed.contains($0) }
}
