import ConstraintAnimation

/// A color as a terminal was told to show it.
enum ModelColor: Hashable {
  case own
  case rgb(Int, Int, Int)
  case indexed(Int)
  case ansi(Int)
}

struct ModelStyle: Hashable {
  var foreground = ModelColor.own
  var background = ModelColor.own
  var isBold = false
  var isDim = false
  var isItalic = false
  var isUnderlined = false
  var isReversed = false
}

/// One place of the model's screen.
struct ModelCell: Hashable {
  /// Empty for the second column of a wide character.
  var text = " "
  var style = ModelStyle()
}
