/// What the writer may count on when it paints.
public struct OutputProfile: Sendable, Hashable {
  public var colors: ColorProfile

  /// False where the terminal does not decode UTF-8: other characters are then replaced by ASCII.
  public var encodesUTF8: Bool

  /// Erasing fills with the current background (terminfo `bce`). Without it only cells with the terminal's own
  /// background are erased, others are painted.
  public var erasesWithBackground: Bool

  /// The frame is bracketed by `CSI ? 2026 h` and `l`, so that the terminal shows it at once.
  public var synchronizesOutput: Bool

  /// Rows that moved up or down together are moved by the terminal (scroll region), not painted again.
  public var movesRows: Bool

  public init(
    colors: ColorProfile, encodesUTF8: Bool = true, erasesWithBackground: Bool = true,
    synchronizesOutput: Bool = false, movesRows: Bool = true
  ) {
    self.colors = colors
    self.encodesUTF8 = encodesUTF8
    self.erasesWithBackground = erasesWithBackground
    self.synchronizesOutput = synchronizesOutput
    self.movesRows = movesRows
  }
}
