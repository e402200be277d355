import Measurement

/// What lies over the marks of one plot: what is selected, a box that is being drawn, the crosshair.
struct ScatterOverlay: Sendable {
  var selection: Selection?
  var box: PlotBox?
  var crosshair: PlotPosition?
  /// The notification nearest to the crosshair.
  var pick: PickedNotification?
}
