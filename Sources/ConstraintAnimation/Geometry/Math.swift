#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few transcendental functions the library needs, so that no other file imports the C library.
enum Math {
  static func sin(_ x: Double) -> Double { _sin(x) }
  static func cos(_ x: Double) -> Double { _cos(x) }
  static func exp(_ x: Double) -> Double { _exp(x) }
  static func log(_ x: Double) -> Double { _log(x) }
  static func atan2(_ y: Double, _ x: Double) -> Double { _atan2(y, x) }
}

private func _sin(_ x: Double) -> Double { sin(x) }
private func _cos(_ x: Double) -> Double { cos(x) }
private func _exp(_ x: Double) -> Double { exp(x) }
private func _log(_ x: Double) -> Double { log(x) }
private func _atan2(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
