import Analysis
public import Configuration
import Findings
import Measurement

/// Looks at what a schedule is too slow to see: a usual outage, a usual rise, or whether an objective is kept.
public enum ScheduleDoctor {
  /// - Parameter objectives: of all targets.
  /// - Returns: a note for each schedule that cannot see an outage, and for each objective that it cannot decide.
  public static func findings(of targets: [TargetConfiguration], objectives: [ObjectiveConfiguration])
    -> [DoctorFinding]
  {
    targets.flatMap { target -> [DoctorFinding] in
      let rate = target.schedule.rate.perSecond
      var findings: [DoctorFinding] = []
      // Each variant is watched by itself.
      if let warning = SchedulePower.warning(rate: rate / Double(max(1, target.variants.count))) {
        findings.append(
          DoctorFinding(
            .note, target.name, "schedule", warning,
            remedy:
              "findings --find says which rate a change takes, where a collector has recorded for a while"))
      }
      for objective in objectives where objective.target == target.name {
        if let finding = self.finding(of: objective, rate: rate) { findings.append(finding) }
      }
      return findings
    }
  }

  /// A note if an objective's window holds too few notifications to show that it is kept, even without a failure.
  private static func finding(of objective: ObjectiveConfiguration, rate: Double) -> DoctorFinding? {
    guard case .share(let share, _, _, let window) = objective.promise else { return nil }
    let needed = ShareInterval.independentCount(toProve: share)
    let sent = rate * window.inSeconds
    guard sent < Double(needed) else { return nil }
    let length = LengthText.given(window.microseconds)
    return DoctorFinding(
      .note, objective.target, "schedule",
      "objective \"\(objective.name)\": \(CountText.text(Int(sent), "notification")) in \(length) cannot show that "
        + "\(PercentText.given(share)) are in time; that takes \(CountText.grouped(needed)) without a failure",
      remedy:
        "send \(FrequencyText.text(Double(needed) / window.inSeconds)) or more, or make its window longer"
    )
  }
}
