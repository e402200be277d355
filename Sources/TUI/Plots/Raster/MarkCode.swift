/// A class and, within it, a target, as one number: the larger of two is the one to show.
///
/// Among equals the target that comes first in the run's order wins.
struct MarkCode: RawRepresentable, Sendable, Hashable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter target: place of the target in its run; beyond `targets` they share a code.
  init(_ markClass: MarkClass, target: Int) {
    rawValue = markClass.rawValue << 4 | UInt8(MarkCode.targets - 1 - min(target, MarkCode.targets - 1))
  }

  /// As many targets as are told apart.
  static let targets = 16
  /// One more than the highest.
  static let count = 9 << 4

  var markClass: MarkClass? { MarkClass(rawValue: rawValue >> 4) }

  var target: Int { MarkCode.targets - 1 - Int(rawValue & 0xF) }
}
