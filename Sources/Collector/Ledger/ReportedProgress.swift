import Measurement
import Store

/// What of a notification was handed to the observer, so that each value, verdict and correction is told once.
///
/// A notification counts from the commit that settles it. One that an earlier collector settled does not count, and what a
/// late receipt makes of it is told without a verdict.
struct ReportedProgress: Sendable {
  /// The verdict that was told last; `nil` before it settled.
  private var verdict: NotificationState?
  /// It was settled before this collector started.
  private var isForeign = false
  private var values: SampleChange.Values = []
  /// Whether it has come due.
  private var isDue = false
  private var duplicates = 0
  private var isInFlight = false
  private var runFingerprint: UInt64?
  private var origin: SampleChange.Origin?

  /// Creates the progress of a notification that is planned now.
  init() {}

  /// Creates the progress of a row that a late receipt is for.
  init(_ reloaded: ReloadedSample) {
    let sample = reloaded.sample
    isDue = true
    if reloaded.isSettledSinceStart { verdict = sample.state } else { isForeign = true }
    values = SampleChange.Values(of: sample)
    duplicates = sample.duplicates
    runFingerprint = reloaded.runFingerprint
    origin = reloaded.origin
  }

  /// What is new of the notification.
  /// - Parameter isInFlight: whether it waits for its answer.
  mutating func advance(to sample: Sample, isInFlight now: Bool, run: RunID) -> SampleChange {
    let known = SampleChange.Values(of: sample)
    let change = SampleChange(
      sample: sample,
      notification: runFingerprint.map { NotificationID(runFingerprint: $0, sample: sample.id) }
        ?? NotificationID(run: run, sample: sample.id),
      verdict: settle(as: sample.state), isCounted: verdict != nil, newValues: known.subtracting(values),
      isDue: !isDue && sample.state != .planned, newDuplicates: sample.duplicates - duplicates,
      inFlight: (now ? 1 : 0) - (isInFlight ? 1 : 0), origin: origin)
    values.formUnion(known)
    isDue = isDue || sample.state != .planned
    duplicates = sample.duplicates
    isInFlight = now
    return change
  }

  private mutating func settle(as state: NotificationState) -> SampleChange.Verdict {
    guard state.isSettled, !isForeign else { return .unchanged }
    defer { verdict = state }
    guard let verdict else { return .settled }
    return verdict == state ? .unchanged : .corrected(from: verdict)
  }
}
