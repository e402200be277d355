import Measurement

/// A row of the log or of the events, with the number the store gave it, by which a list keeps its place.
struct ListEntry<Row: Sendable>: Sendable {
  var number: Int64
  var row: Row
}

extension ListEntry: Equatable where Row: Equatable {}
