/// How a cell looks apart from its text.
public struct PictureStyle: Sendable, Hashable {
  public var foreground = PictureColor.standard
  public var background = PictureColor.standard
  public var isBold = false
  public var isDim = false
  public var isItalic = false
  public var isUnderlined = false
  public var isReversed = false

  public init() {}

  /// Whether a space in it shows nothing.
  var isInvisibleOnBlank: Bool { background == .standard && !isUnderlined && !isReversed }

  /// Words for people: `bold reverse`.
  var attributes: String {
    let names = [
      (isBold, "bold"), (isDim, "dim"), (isItalic, "italic"), (isUnderlined, "underline"),
      (isReversed, "reverse"),
    ]
    return names.filter(\.0).map(\.1).joined(separator: " ")
  }
}
