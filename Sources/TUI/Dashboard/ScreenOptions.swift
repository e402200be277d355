import ConstraintAnimation

/// What the dashboard's screen is told when it is made.
struct ScreenOptions {
  var motion = MotionLevel.full
  var keys = KeyTable.standard
  var zone = LocalTime.system
  var storePath = ""
  var subject = Subject()
  /// What a key goes through.
  var themes = Theme.all
  var slides = TransitionAxis.horizontal
  /// `nil` goes by the terminal's shape.
  var arrangement: Arrangement?
  /// µs; `nil` draws no line.
  var threshold: Int64?
  var releasesMouse = false
}
