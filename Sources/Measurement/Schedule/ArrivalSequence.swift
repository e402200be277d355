import Glibc

/// The planned instants of one target, one after the other, without end.
///
/// They are absolute: no instant depends on when another one was asked for or sent, so lateness never adds up.
public struct ArrivalSequence: Sendable {
  public let process: ArrivalProcess
  public let start: MonotonicTime

  private var generator: SeededGenerator
  private var drawn: Int64 = 0
  /// Nanoseconds from the start to the last instant drawn.
  private var offset: Int64 = 0

  public init(_ process: ArrivalProcess, from start: MonotonicTime, seed: UInt64) {
    self.process = process
    self.start = start
    generator = SeededGenerator(seed: seed)
  }

  /// The next planned instant; never earlier than the one before. A constant process and bursts begin with `start`
  /// itself, a Poisson process one gap after it, a jittered one within the first interval.
  public mutating func next() -> MonotonicTime {
    switch process {
    case .constant(let rate): offset = rate.offset(of: drawn)
    case .poisson(let rate):
      // 1 − u lies in (0, 1], so the logarithm is finite.
      offset += Int64((-log(1 - generator.unit()) * rate.meanInterval).rounded())
    case .jittered(let rate, let jitter):
      // Cut to whole nanoseconds and kept within the interval, so that the order holds whatever the rounding does.
      let (slot, next) = (rate.offset(of: drawn), rate.offset(of: drawn + 1))
      let share = min(1, max(0, jitter)) * generator.unit()
      offset = min(next, slot + Int64(share * Double(next - slot)))
    case .burst(let rate, let size): offset = rate.offset(of: drawn - drawn % max(1, size))
    }
    drawn += 1
    return MonotonicTime(nanoseconds: start.nanoseconds + offset)
  }
}
