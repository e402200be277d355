import Measurement
import Store

/// Which run and target the rows of a selection belong to.
struct TargetDirectory {
  struct Entry {
    let run: RunRecord
    let target: TargetRecord
  }

  /// In the order of the rows: by run, then by name.
  let entries: [Entry]
  private let byID: [TargetID: Entry]

  init(_ reader: StoreReader, _ selection: RowSelection) throws {
    var entries: [Entry] = []
    for run in try selection.runs(in: reader) {
      for target in try reader.targets(of: run.id) where selection.targets?.contains(target.name) ?? true {
        entries.append(Entry(run: run, target: target))
      }
    }
    self.entries = entries
    byID = Dictionary(entries.map { ($0.target.id, $0) }) { first, _ in first }
  }

  func entry(for id: TargetID) throws -> Entry {
    guard let entry = byID[id] else {
      throw ReportError(
        .runVanished, "a run was started or deleted while it was read", remedy: "run the command again")
    }
    return entry
  }
}

extension RowSelection {
  /// The runs it may take rows from, oldest first.
  func runs(in reader: StoreReader) throws -> [RunRecord] {
    guard let run else { return try reader.runs() }
    return try reader.run(run).map { [$0] } ?? []
  }
}
