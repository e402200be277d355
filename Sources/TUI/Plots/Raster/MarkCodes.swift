import Measurement

/// The code of each state for one target, 0 for what is not drawn: a table small enough to stay in a register or two.
struct MarkCodes: Sendable, Hashable {
  private var table = SIMD16<UInt8>.zero

  /// - Parameter target: place of the target in its run.
  init(target: Int) { self.init { _ in target } }

  /// - Parameter place: which of the theme's colors a state gets.
  init(_ place: (NotificationState) -> Int) {
    for state in NotificationState.allCases {
      table[state.rawValue] = MarkClass(state).map { MarkCode($0, target: place(state)).rawValue } ?? 0
    }
  }

  @inline(__always)
  subscript(state: NotificationState) -> UInt8 { table[state.rawValue] }
}
