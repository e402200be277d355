import Measurement
import Store

/// Goes through a selection's samples target by target, so that no more than one target's figures are in memory.
enum TargetWalk {
  /// - Parameters:
  ///   - start: makes what a target's rows are added to.
  ///   - finish: takes it when the target's rows are through; targets without rows are not visited.
  static func forEach<Tally>(
    _ reader: StoreReader, _ selection: RowSelection, start: (TargetDirectory.Entry) -> Tally,
    add: (inout Tally, borrowing SampleRow) -> Void, finish: (TargetDirectory.Entry, Tally) throws -> Void
  ) throws {
    let directory = try TargetDirectory(reader, selection)
    var current: TargetDirectory.Entry?
    var tally: Tally?
    try reader.forEachSample(selection) { row in
      let target = row.id.target
      if current?.target.id != target {
        if let current, let done = tally.take() { try finish(current, done) }
        let entry = try directory.entry(for: target)
        current = entry
        tally = start(entry)
      }
      if var open = tally.take() {
        add(&open, row)
        tally = open
      }
    }
    if let current, let tally { try finish(current, tally) }
  }
}
