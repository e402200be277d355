/// A transform taken apart into parts that can be interpolated one by one: a half-turned rotation is then a
/// quarter turn, not a view squeezed flat as with matrix entries.
struct TransformComponents {
  /// translation x, translation y, angle in radians, scale x, scale y, shear, unused, unused.
  var values: SIMD8<Double>

  init(_ values: SIMD8<Double>) { self.values = values }

  init(_ transform: Transform) {
    let scaleX = (transform.a * transform.a + transform.b * transform.b).squareRoot()
    let determinant = transform.a * transform.d - transform.b * transform.c
    guard scaleX > 0 else {
      let scaleY = (transform.c * transform.c + transform.d * transform.d).squareRoot()
      let angle = scaleY > 0 ? Math.atan2(-transform.c, transform.d) : 0
      values = SIMD8(transform.tx, transform.ty, angle, 0, scaleY, 0, 0, 0)
      return
    }
    let angle = Math.atan2(transform.b, transform.a)
    let shear = (transform.a * transform.c + transform.b * transform.d) / (scaleX * scaleX)
    values = SIMD8(transform.tx, transform.ty, angle, scaleX, determinant / scaleX, shear, 0, 0)
  }

  /// From here to `other`, the angle the short way round.
  func delta(to other: TransformComponents) -> SIMD8<Double> {
    var delta = other.values - values
    let turn = 2 * Double.pi
    delta[2] -= turn * (delta[2] / turn).rounded(.toNearestOrEven)
    return delta
  }

  var transform: Transform {
    let cosine = Math.cos(values[2])
    let sine = Math.sin(values[2])
    let (scaleX, scaleY, shear) = (values[3], values[4], values[5])
    return Transform(
      a: cosine * scaleX, b: sine * scaleX,
      c: cosine * scaleX * shear - sine * scaleY, d: sine * scaleX * shear + cosine * scaleY,
      tx: values[0], ty: values[1])
  }
}
