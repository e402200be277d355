import Glibc

/// The error of `eventually`, and of fixtures that miss a precondition.
public struct NeverHappened: Error, CustomStringConvertible {
  public var what: String
  /// The state at the end; empty when unknown.
  public var seen: String

  public init(what: String, seen: String = "") {
    self.what = what
    self.seen = seen
  }

  public var description: String { "never happened: \(what)\(seen.isEmpty ? "" : "\nlast seen:\n\(seen)")" }
}

/// How long a test waits for what must happen. Only a test that fails takes so long: it is far beyond what load delays, on a
/// machine that others use too.
public let eventuallyLimit = Duration.seconds(180)

/// Polls a condition that another thread or process makes true, every 2 ms.
///
/// - Parameters:
///   - what: the condition in words, for the error.
///   - seen: describes the state for the error.
/// - Returns: the first value that `condition` returns.
/// - Throws: ``NeverHappened`` when the time limit has passed.
@discardableResult
public func eventually<Found>(
  _ what: String = "the condition", within limit: Duration = eventuallyLimit, seen: () -> String = { "" },
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Found?
) async throws -> Found {
  let deadline = ContinuousClock.now.advanced(by: limit)
  while true {
    if let found = try await condition() { return found }
    guard ContinuousClock.now < deadline else { throw NeverHappened(what: what, seen: seen()) }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// The same for a condition that is true or false.
public func eventually(
  _ what: String = "the condition", within limit: Duration = eventuallyLimit, seen: () -> String = { "" },
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  let _: Void = try await eventually(what, within: limit, seen: seen) { try await condition() ? () : nil }
}

/// The same in synchronous code: blocks the thread. Disfavored, so that asynchronous code gets the function above.
@_disfavoredOverload
@discardableResult
public func eventually<Found>(
  _ what: String = "the condition", within limit: Duration = eventuallyLimit, seen: () -> String = { "" },
  _ condition: () throws -> Found?
) throws -> Found {
  let deadline = ContinuousClock.now.advanced(by: limit)
  while true {
    if let found = try condition() { return found }
    guard ContinuousClock.now < deadline else { throw NeverHappened(what: what, seen: seen()) }
    _ = poll(nil, 0, 2)
  }
}

/// The same for a condition that is true or false.
@_disfavoredOverload
public func eventually(
  _ what: String = "the condition", within limit: Duration = eventuallyLimit, seen: () -> String = { "" },
  _ condition: () throws -> Bool
) throws {
  let _: Void = try eventually(what, within: limit, seen: seen) { () throws -> Void? in
    try condition() ? () : nil
  }
}
