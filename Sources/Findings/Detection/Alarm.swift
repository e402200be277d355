/// A window that differs from the reference more clearly than its cell's alarm level allows by chance.
struct Alarm {
  var reference: Reference
  var quantile: Int
  var isDown: Bool
  /// The length of the window in bins; `scale` is its place among the lengths.
  var length: Int
  var scale: Int
  var nats: Double
  var threshold: Double
  /// How far the nats are above the threshold, in the spread of the cell's maxima.
  var excess: Double

  /// The clearest of the cells of a scan that pass their alarm level; `nil` where none does.
  ///
  /// - Parameters:
  ///   - maxima: those of the cells of the layout, indexed by the cells of the calibration.
  ///   - reference: what the scan compares with.
  init?(
    _ maxima: ArraySlice<WindowScan.Maximum>, _ layout: ScanLayout, _ reference: Reference?,
    _ calibration: AlarmCalibration, _ settings: DetectorSettings
  ) {
    guard let reference else { return nil }
    var best: Alarm?
    for cell in maxima.indices {
      let maximum = maxima[cell]
      guard let scale = maximum.scale else { continue }
      let level = calibration.level(cell, settings)
      let excess = (maximum.nats - level.threshold) / level.scale
      guard excess >= 0, excess > best?.excess ?? -1 else { continue }
      var (quantile, isDown) = layout.tested(cell - maxima.startIndex)
      if maximum.isMost { quantile = 0 }
      best = Alarm(
        reference: reference, quantile: quantile, isDown: isDown, length: layout.scales[scale],
        scale: scale, nats: maximum.nats, threshold: level.threshold, excess: excess)
    }
    guard let best else { return nil }
    self = best
  }

  private init(
    reference: Reference, quantile: Int, isDown: Bool, length: Int, scale: Int, nats: Double,
    threshold: Double, excess: Double
  ) {
    self.reference = reference
    (self.quantile, self.isDown, self.length, self.scale) = (quantile, isDown, length, scale)
    (self.nats, self.threshold, self.excess) = (nats, threshold, excess)
  }
}
