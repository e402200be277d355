/// How much motion people want to see. Completions come in the same order on each level.
public enum MotionLevel: Sendable, Hashable, CaseIterable {
  /// Everything moves.
  case full
  /// Nothing travels: places and transforms jump to their ends; colors and alpha still blend.
  case basic
  /// Everything jumps to its end, and animations complete at once.
  case none
}
