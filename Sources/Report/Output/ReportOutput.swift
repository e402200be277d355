import Formats
import Measurement

/// Destination of a report.
public enum ReportOutput {
  /// Runs `body` with standard output, or with a file that appears only when it is complete.
  ///
  /// When the reader of standard output closes the pipe (`| head`), the report ends without an error. Call
  /// ``OutputSignals/ignore()`` once before.
  ///
  /// - Parameters:
  ///   - path: `nil` or `-` for standard output.
  ///   - store: the database that is read; it and its files are never replaced.
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

/// Reports the progress of a long export: nothing in the first second, then one line per second.
public struct ExportProgress {
  private static let period = Duration.seconds(1)

  private let clock: any HostClock
  private let onLine: (String) -> Void
  private var next: MonotonicTime
  private var hasReported = false

  /// - Parameter onLine: called with a line, without a line break.
  public init(clock: any HostClock, onLine: @escaping (String) -> Void) {
    self.clock = clock
    self.onLine = onLine
    next = clock.monotonicNow() + Self.period
  }

  /// Says how many rows are written, if it is time to.
  public mutating func update(rows: Int64) {
    let now = clock.monotonicNow()
    guard now >= next else { return }
    next = now + Self.period
    hasReported = true
    onLine("\(CountText.text(rows, "row")) so far")
  }

  /// Reports the total, if there was a report before.
  public func finish(rows: Int64) {
    if hasReported { onLine(CountText.text(rows, "row")) }
  }
}

/// Why a report cannot be made.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What stands in the way.
  public enum Code: Sendable {
    case noSuchRun, ambiguousRun, noSuchTarget, noSuchFinding
    /// No row of the selection is settled.
    case nothingSettled
    /// Two sides of a comparison that do not match, or are the same.
    case nothingInCommon, sameOnBothSides
    /// A breakdown whose targets have several limits, or that has too many values.
    case noCommonLimit, tooManyValues
    /// The run of the rows was deleted while they were read.
    case runVanished
  }

  public let code: Code
  public let message: String
  public let remedy: String

  init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = EscapedText.make(message)
    self.remedy = EscapedText.make(remedy)
  }

  public var description: String { "\(message); \(remedy)" }
}
