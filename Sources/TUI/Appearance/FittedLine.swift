import ConstraintAnimation

/// Two groups of items, one from the left and one to the right, with what there is no room for shortened or left out.
struct FittedLine: Sendable {
  let left: [TextSpan]
  let right: [TextSpan]
  let leftColumns: Int
  let rightColumns: Int

  /// - Parameters:
  ///   - gap: columns between two items of a group.
  ///   - middle: columns between the groups, at least.
  init(left: [LineItem], right: [LineItem], width: Int, gap: Int, middle: Int) {
    var left = left
    var right = right
    func total(_ items: [LineItem]) -> Int {
      items.reduce(0) { $0 + $1.columns } + max(0, items.count - 1) * gap
    }
    /// The least important item gives way: it is shortened, or goes.
    func yield(in items: inout [LineItem], at index: Int, isLast: Bool) -> Bool {
      if let short = items[index].shortened {
        items[index] = short
        return true
      }
      if !isLast { items.remove(at: index) }
      return !isLast
    }
    while total(left) + total(right) + (left.isEmpty || right.isEmpty ? 0 : middle) > width {
      let lowest = (left + right).map(\.priority).min()
      let isLast = left.count + right.count == 1
      if let index = left.lastIndex(where: { $0.priority == lowest }) {
        if !yield(in: &left, at: index, isLast: isLast) { break }
      } else if let index = right.lastIndex(where: { $0.priority == lowest }) {
        if !yield(in: &right, at: index, isLast: isLast) { break }
      } else {
        break
      }
    }
    self.left = Self.joined(left, gap: gap)
    self.right = Self.joined(right, gap: gap)
    leftColumns = total(left)
    rightColumns = total(right)
  }

  private static func joined(_ items: [LineItem], gap: Int) -> [TextSpan] {
    let space = TextSpan(String(repeating: " ", count: gap), .plain)
    return Array(items.map(\.spans).joined(separator: [space]))
  }
}
