/// An animated constant of a constraint, for blocks that solve on each frame.
struct ConstantTrack {
  let constraint: LayoutConstraint
  var delta: Double
}
