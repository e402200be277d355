import Measurement
import Store

/// The parts of a run in the order in which they start, each with what ends it.
///
/// Every part that has started is ended exactly once, in reverse order: when a later part fails to start, and at the end of
/// the run.
struct StartupSequence {
  private var ends: [(RunEndReason) async throws -> Void] = []

  /// Starts a part.
  /// - Parameter end: ends the part. Not called when the part fails to start.
  /// - Throws: the error of `start`; call ``end(_:)`` then.
  mutating func start<Part>(
    _ start: () async throws -> Part, end: @escaping (Part, RunEndReason) async throws -> Void
  ) async throws -> Part {
    let part = try await start()
    ends.append { try await end(part, $0) }
    return part
  }

  /// Ends every part. A part that fails to end does not keep the others from ending; they are told that the run has failed.
  /// - Throws: the first error.
  mutating func end(_ reason: RunEndReason) async throws {
    var reason = reason
    var first: (any Error)?
    while let end = ends.popLast() {
      do {
        try await end(reason)
      } catch {
        first = first ?? error
        reason = .failed
      }
    }
    if let first { throw first }
  }
}
