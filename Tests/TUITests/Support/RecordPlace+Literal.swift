import Measurement
import Store

/// A place that is written as a number: of this revision, at as many µs.
extension RecordPlace: ExpressibleByIntegerLiteral {
  public init(integerLiteral number: Int64) {
    self.init(at: WallTime(microseconds: number), revision: number)
  }
}
