import ConstraintAnimation

/// Two groups of items, one from the left and one to the right, with what there is no room for left out.
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
    while total(left) + total(right) + (left.isEmpty || right.isEmpty ? 0 : middle) > width {
      let lowest = (left + right).map(\.priority).min()
      if let index = left.lastIndex(where: { $0.priority == lowest }), left.count + right.count > 1 {
        left.remove(at: index)
      } else if let index = right.lastIndex(where: { $0.priority == lowest }), left.count + right.count > 1 {
        right.remove(at: index)
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
