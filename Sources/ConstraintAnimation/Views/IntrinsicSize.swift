/// Content size constraints: how firmly a view resists growing and shrinking, for each axis.
struct IntrinsicSize {
  var huggingX = LayoutPriority.defaultLow
  var huggingY = LayoutPriority.defaultLow
  var compressionX = LayoutPriority.defaultHigh
  var compressionY = LayoutPriority.defaultHigh
  /// Active constraints made from the intrinsic size.
  var width: [LayoutConstraint] = []
  var height: [LayoutConstraint] = []
}
