import GRDB
import Measurement

/// Plans whose time had not come when their run ended: no number of the plan that was due, so no row either.
enum UnduePlans {
  static func remove(ofRun row: Int64, _ db: Database) throws {
    var deltas = TallyDeltas()
    let remove = try RawStatement(db, "DELETE FROM sample WHERE id = ?1")
    for target in try OpenRun.targets(ofRun: row, db) where target.openCount > 0 {
      for open in try OpenRow.fetch(target, db) where open.standing.state == .planned && !open.standing.isSent
      {
        remove.bind(open.id, at: 1)
        try remove.run()
        deltas.remove(open.standing, target: target.id, variant: open.variant)
      }
    }
    try RecordWriter(db).apply(deltas)
  }
}
