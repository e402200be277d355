import Glibc
import Testing

/// Waits for something outside this process to become true, looking every few milliseconds, for a bounded time.
///
/// - Returns: what `condition` found.
/// - Throws: ``NeverHappened`` with what was last seen when the time is over.
@discardableResult
func eventually<Found>(
  within limit: Duration = .seconds(60), _ what: String, seen: () -> String = { "" },
  condition: () throws -> Found?
) throws -> Found {
  let clock = ContinuousClock()
  let deadline = clock.now.advanced(by: limit)
  while true {
    if let found = try condition() { return found }
    guard clock.now < deadline else { throw NeverHappened(what: what, seen: seen()) }
    _ = poll(nil, 0, 10)
  }
}

struct NeverHappened: Error, CustomStringConvertible {
  var what: String
  var seen: String

  var description: String { "never happened: \(what)\(seen.isEmpty ? "" : "\nlast seen:\n\(seen)")" }
}
