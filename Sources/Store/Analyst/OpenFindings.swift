import Measurement

/// How many findings of a kind are open of a target.
public struct OpenFindings: Sendable, Equatable, Codable {
  public var target: String
  public var kind: String
  public var count: Int

  /// - Parameter findings: open ones.
  public static func count(_ findings: [FindingRecord]) -> [OpenFindings] {
    Dictionary(grouping: findings) { [$0.target, $0.kind.rawValue] }
      .map { OpenFindings(target: $0[0], kind: $0[1], count: $1.count) }
      .sorted { ($0.target, $0.kind) < ($1.target, $1.kind) }
  }
}
