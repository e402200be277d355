/// How the plot's rectangle is divided.
struct ScatterGeometry: Sendable, Hashable {
  let width: Int
  let height: Int

  /// Labels of the axis of latencies and the axis itself.
  static let gutter = 9

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  var columns: Int { max(0, width - Self.gutter) }
  /// Where lost, failed and rejected ones are marked.
  var bandRow: Int { 1 }
  var firstRow: Int { 2 }
  /// The axis of time, and a row for its labels where there is room.
  var axisRows: Int { height >= 11 ? 2 : 1 }
  var axisRow: Int { height - axisRows }
  var rows: Int { max(0, axisRow - firstRow) }
}
