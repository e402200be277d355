extension Color {
  var components: SIMD4<Double> { SIMD4(Double(red), Double(green), Double(blue), 0) }

  init(components: SIMD4<Double>) {
    let bounded = components.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
    let whole = (bounded + 0.5).rounded(.down)
    self.init(UInt8(whole.x), UInt8(whole.y), UInt8(whole.z))
  }
}
