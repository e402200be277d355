import Measurement

extension CollectorStore {
  /// Keeps what a calibration found; runs that begin later on the same host refer to it.
  public func record(_ calibration: Calibration) throws {
    try transaction { db, _ in try RecordWriter(db).insert(calibration) }
  }
}
