import Measurement

/// Notifications that were chosen, wherever that was done: every panel shows these same ones, whatever becomes of them
/// meanwhile.
struct Selection: Sendable, Hashable {
  /// Where they were chosen: `in the box`, `200 to 250 ms`.
  let label: String
  /// Sequence numbers by target, ascending.
  private(set) var sequences: [TargetID: [Int64]] = [:]

  init(label: String) { self.label = label }

  var count: Int { sequences.values.reduce(0) { $0 + $1.count } }

  var isEmpty: Bool { sequences.isEmpty }

  /// Adds the next of a target; one that is there already is not added again.
  mutating func add(_ sequence: Int64, of target: TargetID) {
    if let last = sequences[target]?.last, last >= sequence { return }
    sequences[target, default: []].append(sequence)
  }

  func contains(_ sequence: Int64, of target: TargetID) -> Bool {
    guard let all = sequences[target] else { return false }
    let place = all.firstIndexInOrder(notBelow: sequence)
    return place < all.count && all[place] == sequence
  }

  /// Sequence numbers of a target from one on, up to, not including, another.
  func sequences(of target: TargetID, from lower: Int64, to upper: Int64) -> ArraySlice<Int64> {
    guard let all = sequences[target] else { return [] }
    let first = all.firstIndexInOrder(notBelow: lower)
    return all[first..<max(first, all.firstIndexInOrder(notBelow: upper))]
  }

  /// Of all targets, in the order given, then by sequence.
  func ids(in order: [TargetID]) -> [SampleID] {
    order.flatMap { target in
      (sequences[target] ?? []).map { SampleID(target: target, sequence: $0) }
    }
  }
}
