import Testing

@testable import Findings

@Suite struct SpecialFunctionsTests {
  /// Values of scipy.special.betainc.
  @Test(arguments: [
    (2.0, 3.0, 0.4, 0.5248), (0.5, 0.5, 0.2, 0.295_167_235_300_866_53),
    (350.2, 4.7, 0.99, 0.666_395_491_603_602_2), (30.5, 1.0, 0.9, 0.040_215_783_840_713_455),
    (5000.0, 5000.0, 0.505, 0.841_344_746_371_036_6),
  ])
  func incompleteBeta(a: Double, b: Double, x: Double, expected: Double) {
    #expect(abs(SpecialFunctions.incompleteBeta(a, b, x) - expected) < 1e-9)
    #expect(abs(SpecialFunctions.incompleteBeta(b, a, 1 - x) - (1 - expected)) < 1e-9)
    #expect(abs(SpecialFunctions.inverseIncompleteBeta(a, b, expected) - x) < 1e-7)
  }

  /// Tables of Student's t, two-sided 5 %.
  @Test(arguments: [(1.0, 12.7062), (3, 3.1824), (6, 2.4469), (7.33, 2.3432), (30, 2.0423), (1000, 1.9623)])
  func studentPoint(degrees: Double, expected: Double) {
    #expect(abs(SpecialFunctions.studentPoint(degrees) - expected) < 0.002)
  }

  @Test(arguments: [
    (0.5, 0.572_364_942_924_700_1), (1, 0), (7, 6.579_251_212_010_101), (120.5, 455.417_600_4),
  ])
  func logGamma(x: Double, expected: Double) {
    #expect(abs(SpecialFunctions.logGamma(x) - expected) < 1e-6)
  }
}
