import Measurement
import Store

/// Finds the changes of a whole store afterwards, with the result that the collector has when it looks as they happen.
public enum FindingRecomputation {
  /// Looks at everything recorded before an instant. Stored findings keep their ids where they are found again; those that
  /// are not are withdrawn.
  ///
  /// - Parameters:
  ///   - end: the present, for a run that is being recorded.
  ///   - knowsStored: whether stored findings are looked at; without them ids may differ, and nothing is withdrawn.
  ///   - proceed: asked between steps; `false` ends the work with nothing.
  /// - Returns: all findings, withdrawn ones too, and how far the detectors came, with checkpoints from which a collector goes on; ready
  ///   to be saved. `nil` when it was ended.
  /// - Throws: `StoreError`.
  public static func run(
    _ reader: StoreReader, to end: WallTime, settings: DetectionSettings = DetectionSettings(),
    knowsStored: Bool = true, proceed: () -> Bool = { true }
  ) throws -> FindingChanges? {
    var engine = FindingEngine(settings: settings, isRecomputing: true, knowsStored: knowsStored)
    repeat {
      guard proceed() else { return nil }
      let step = try engine.advance(reader, to: end)
      if !step.isMore { break }
    } while true
    var changes = engine.checkpoints()
    changes.findings = engine.findings
    return changes
  }
}
