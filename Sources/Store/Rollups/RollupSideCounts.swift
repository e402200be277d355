/// What is counted of notifications beside their states.
struct RollupSideCounts: Equatable, Sendable {
  /// Further receipts with ids heard before.
  var duplicates = 0
  /// Received after a later sequence number.
  var outOfOrder = 0
  /// Requests that opened a connection.
  var freshConnections = 0

  /// In the order of ``columns``.
  var all: [Int] { [duplicates, outOfOrder, freshConnections] }

  static let columns = "duplicates, out_of_order, fresh_connections"
  static let columnCount: Int32 = 3

  static func += (sum: inout Self, other: Self) { sum.add(other, 1) }

  /// Adds, or with a negative count takes out.
  mutating func add(_ other: Self, _ count: Int) {
    duplicates += other.duplicates * count
    outOfOrder += other.outOfOrder * count
    freshConnections += other.freshConnections * count
  }
}
