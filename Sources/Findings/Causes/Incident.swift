import Measurement

/// A finding with its target and what was found of its cause.
public struct AttributedFinding: Sendable, Hashable {
  public var finding: Finding
  public var target: String
  public var provider: String
  public var device: String
  /// The first is the `cause`, all are the `causes`.
  public var verdicts: [Verdict]

  public init(finding: Finding, target: String, provider: String, device: String, verdicts: [Verdict]) {
    self.finding = finding
    self.target = target
    self.provider = provider
    self.device = device
    self.verdicts = verdicts
  }

  fileprivate var starts: ClosedRange<Int64> {
    finding.startInterval ?? finding.start - 60_000_000...finding.start + 60_000_000
  }
}

/// Findings that are one event: their starts overlap, and their causes agree or one explains the other. What people, alerts
/// and the dashboard's header count.
public struct Incident: Sendable, Hashable, Identifiable {
  /// The findings in order of detection, the earliest first; never empty.
  public fileprivate(set) var findings: [AttributedFinding]

  /// That of its first finding.
  public var id: Finding.ID { findings[0].finding.id }
  public var start: Int64 { findings.map(\.finding.start).min() ?? 0 }
  /// `nil` while one of them is open.
  public var end: Int64? {
    findings.contains { $0.finding.isOpen } ? nil : findings.compactMap(\.finding.end).max()
  }
  public var isOpen: Bool { findings.contains { $0.finding.isOpen } }
  /// The first decided cause, else the first.
  public var verdict: Verdict? {
    let all = findings.flatMap(\.verdicts)
    return all.first { $0.cause.isDecided } ?? all.first
  }

  /// Withdrawn findings are left out.
  public static func group(_ findings: [AttributedFinding]) -> [Incident] {
    let sorted = findings.filter { $0.finding.status != .withdrawn }.sorted {
      ($0.finding.detectedAt, $0.finding.start, $0.target, $0.finding.metric.rawValue)
        < ($1.finding.detectedAt, $1.finding.start, $1.target, $1.finding.metric.rawValue)
    }
    var incidents: [Incident] = []
    for finding in sorted {
      // Findings join the first incident of which one belongs with them.
      if let index = incidents.firstIndex(where: { $0.findings.contains { belongTogether($0, finding) } }) {
        incidents[index].findings.append(finding)
      } else {
        incidents.append(Incident(findings: [finding]))
      }
    }
    return incidents
  }

  /// Whether they begin at the same time; daily patterns are about the same hours.
  private static func begin(_ a: AttributedFinding, with b: AttributedFinding) -> Bool {
    guard let one = a.finding.daily, let other = b.finding.daily else {
      return a.finding.daily == nil && b.finding.daily == nil && a.starts.overlaps(b.starts)
    }
    return one.stretch.distance(to: other.stretch) <= 3
      && (a.finding.end == nil) == (b.finding.end == nil)
  }

  private static func belongTogether(_ a: AttributedFinding, _ b: AttributedFinding) -> Bool {
    guard a.finding.isUpward == b.finding.isUpward, begin(a, with: b) else { return false }
    // Delivery contains accept.
    if a.target == b.target { return true }
    let (one, other) = (a.verdicts.first, b.verdicts.first)
    guard let one, let other else { return a.provider == b.provider }
    if one.cause.isDecided, other.cause.isDecided {
      return one.cause == other.cause && one.scope == other.scope
    }
    return one.targets.contains(b.target) || other.targets.contains(a.target) || a.provider == b.provider
  }
}
