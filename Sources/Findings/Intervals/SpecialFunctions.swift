import Glibc

/// The distributions that intervals are made of. Relative error below 10⁻¹⁰ in the ranges used here.
enum SpecialFunctions {
  /// ln Γ(x) for x > 0: Stirling's series, after recurrence up to 12.
  static func logGamma(_ x: Double) -> Double {
    var x = x
    var shift = 0.0
    if x < 12 {
      var product = 1.0
      while x < 12 {
        product *= x
        x += 1
      }
      shift = log(product)
    }
    let square = 1 / (x * x)
    let series = (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680)))) / x
    return (x - 0.5) * log(x) - x + 0.918_938_533_204_672_7 + series - shift
  }

  /// The regularized incomplete beta function I_x(a, b), by its continued fraction (Lentz; Numerical Recipes 6.4).
  static func incompleteBeta(_ a: Double, _ b: Double, _ x: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let factor = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x))
    return x < (a + 1) / (a + b + 2)
      ? factor * betaFraction(a, b, x) / a : 1 - factor * betaFraction(b, a, 1 - x) / b
  }

  private static func betaFraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
    let tiny = 1e-300
    func kept(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
    var c = 1.0
    var d = 1 / kept(1 - (a + b) * x / (a + 1))
    var result = d
    // Converges in O(√max(a, b)) steps.
    for step in 1...10_000 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / kept(1 + even * d)
      c = kept(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / kept(1 + odd * d)
      c = kept(1 + odd / c)
      let change = d * c
      result *= change
      if abs(change - 1) < 1e-13 { break }
    }
    return result
  }

  /// The x at which I_x(a, b) is `probability`, by bisection.
  static func inverseIncompleteBeta(_ a: Double, _ b: Double, _ probability: Double) -> Double {
    var low = 0.0
    var high = 1.0
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if incompleteBeta(a, b, middle) < probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// The 97.5 % point of the standard normal distribution.
  static let normalPoint = 1.959_963_984_540_054

  /// The 97.5 % point of Student's t distribution. The degrees of freedom need not be whole.
  static func studentPoint(_ degrees: Double) -> Double {
    guard degrees < 6 else {
      // Cornish–Fisher expansion in 1/degrees (Abramowitz & Stegun 26.7.5); error below 0.001.
      let z = normalPoint
      let z2 = z * z
      let g1 = z * (z2 + 1) / 4
      let g2 = z * ((5 * z2 + 16) * z2 + 3) / 96
      let g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384
      let g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92_160
      return z + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees
    }
    let x = inverseIncompleteBeta(max(degrees, 0.1) / 2, 0.5, 0.05)
    return (degrees * (1 - x) / max(x, 1e-300)).squareRoot()
  }
}
