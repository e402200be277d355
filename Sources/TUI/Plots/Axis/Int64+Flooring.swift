extension Int64 {
  /// The quotient rounded towards minus infinity; `divisor` is positive.
  func flooringQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
