/// Arithmetic that is held at the ends of the range in place of ending the process.
///
/// Times come from rows that another version, a person or a damaged disk wrote, from devices and from settings. A sum beyond the
/// range of a time is as far away as a time can be, which is what compares and displays as expected.
extension Int64 {
  /// The sum, or the end of the range that it is beyond.
  @inlinable
  public func addingClamped(_ other: Int64) -> Int64 {
    let (sum, isTooFar) = addingReportingOverflow(other)
    return isTooFar ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the end of the range that it is beyond.
  @inlinable
  public func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, isTooFar) = subtractingReportingOverflow(other)
    return isTooFar ? (other < 0 ? .max : .min) : difference
  }

  /// The product, or the end of the range that it is beyond.
  @inlinable
  public func multipliedClamped(by factor: Int64) -> Int64 {
    let (product, isTooFar) = multipliedReportingOverflow(by: factor)
    return isTooFar ? ((self < 0) == (factor < 0) ? .max : .min) : product
  }
}
