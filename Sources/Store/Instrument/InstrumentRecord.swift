/// What is known of a run's own error.
public struct InstrumentRecord: Sendable, Equatable {
  public var figures: InstrumentFigures
  /// The newest calibration of that host when the run began; `nil` when there was none.
  public var calibration: Calibration?

  public init(figures: InstrumentFigures, calibration: Calibration? = nil) {
    self.figures = figures
    self.calibration = calibration
  }
}
