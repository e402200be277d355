import Formats

/// Where a report goes.
public enum ReportOutput {
  /// Runs `body` with standard output, or with a file that appears only when all of it is written.
  ///
  /// A reader of standard output that stops reading (`| head`) ends the report quietly. Needs
  /// ``OutputSignals/ignore()`` once before.
  ///
  /// - Parameters:
  ///   - path: `nil` or `-` for standard output.
  ///   - store: the database that is read; neither it nor a file that belongs to it is ever replaced.
  /// - Throws: ``OutputError``, and whatever `body` throws.
  public static func write(
    to path: String?, store: String? = nil, _ body: (any ByteSink) throws -> Void
  ) throws {
    try write(to: path, store: store, standardOutput: FileDescriptorSink.standardOutput(), body)
  }

  static func write(
    to path: String?, store: String? = nil, standardOutput: any ByteSink,
    _ body: (any ByteSink) throws -> Void
  ) throws {
    guard let path, path != "-" else {
      do {
        return try body(standardOutput)
      } catch let error as OutputError where error.code == .closedPipe {
        return
      }
    }
    let file = try AtomicFile(path: path, databases: OutputGuard(databases: store.map { [$0] } ?? []))
    try body(file)
    try file.commit()
  }
}
