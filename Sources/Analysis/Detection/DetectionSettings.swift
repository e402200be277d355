import Findings
import Measurement

/// The times and limits of the search for changes. Tests hand in shorter ones.
public struct DetectionSettings: Sendable {
  /// The settings of established series, and those of a series' first hour, by notifications a second.
  public var usual: @Sendable (Double) -> DetectorSettings
  public var firstHour: @Sendable (Double) -> DetectorSettings
  /// How often a checkpoint is made, of planned time.
  public var checkpointInterval = Duration.hours(1)
  /// How far back the detector looks, and how long checkpoints are kept.
  public var memory = Duration.days(14)
  /// A second is complete at this age at the latest, beyond the receipt deadline: no timeout is longer than 10 min.
  public var longestOpen = Duration.minutes(10) + .seconds(5)
  /// What is younger than this may still be written.
  public var settling = Duration.seconds(1)
  /// How often changed rows are looked at again.
  public var correctionInterval = Duration.seconds(5)
  /// The approximate largest number of rollups and notifications that one step reads.
  public var rowsPerStep = 20_000
  /// The most notifications of all targets that a search for a cause reads.
  public var longestEpisode = 60_000

  /// The most notifications on each side that the intervals of legs are computed from, evenly taken.
  public var legSamples = 300

  public init(
    usual: @escaping @Sendable (Double) -> DetectorSettings = { DetectorSettings(rate: $0) },
    firstHour: @escaping @Sendable (Double) -> DetectorSettings = { .firstHour(rate: $0) }
  ) {
    self.usual = usual
    self.firstHour = firstHour
  }
}
