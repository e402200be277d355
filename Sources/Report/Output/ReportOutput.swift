import Formats
import Measurement

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

/// Tells how far a long export has come: nothing in the first second, then a line a second.
public struct ExportProgress {
  private static let period = Duration.seconds(1)

  private let clock: any HostClock
  private let tell: (String) -> Void
  private var next: MonotonicTime
  private var hasTold = false

  /// - Parameter tell: takes a line without its end.
  public init(clock: any HostClock, tell: @escaping (String) -> Void) {
    self.clock = clock
    self.tell = tell
    next = clock.monotonicNow() + Self.period
  }

  public mutating func update(rows: Int64) {
    let now = clock.monotonicNow()
    guard now >= next else { return }
    next = now + Self.period
    hasTold = true
    tell("\(CountText.text(rows, "row")) so far")
  }

  /// The last word, when there was a word before.
  public func finish(rows: Int64) {
    if hasTold { tell(CountText.text(rows, "row")) }
  }
}

/// A report that cannot be made as asked.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    case noSuchRun, ambiguousRun, noSuchTarget
    /// Rows were read whose target is gone: the run was deleted meanwhile.
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
