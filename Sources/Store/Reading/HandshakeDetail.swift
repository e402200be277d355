import GRDB
import Measurement

/// The detail of an event of failed handshakes with the receipt listener: `unknown_ca, last from 192.0.2.0/24`.
public struct HandshakeDetail: Sendable, Equatable {
  public var failure: HandshakeFailure
  /// Where the last client was.
  public var network: String

  private static let separator = ", last from "

  public init(failure: HandshakeFailure, network: String) {
    self.failure = failure
    self.network = network
  }

  /// - Returns: `nil` for any other text, and for a failure that only a newer pushscope knows.
  public init?(_ text: String) {
    let parts = text.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let failure = HandshakeFailure(rawValue: String(parts[0])) else { return nil }
    self.init(failure: failure, network: String(parts[1]))
  }

  public var text: String { failure.rawValue + Self.separator + network }
}

extension StoreReader {
  /// The last failed handshake with the receipt listener in a run.
  /// - Throws: ``StoreError``.
  public func lastHandshakeFailure(of run: RunID) throws -> HandshakeFailure? {
    try read { db in
      try db.cachedRows(
        """
        SELECT e.detail FROM event e JOIN run r ON r.id = e.run_id
        WHERE r.uuid = ? AND e.kind = ? ORDER BY e.at DESC LIMIT 1
        """, [run.description, EventKind.handshakeFailed.rawValue]
      ).first.flatMap { HandshakeDetail($0[0]) }?.failure
    }
  }
}
