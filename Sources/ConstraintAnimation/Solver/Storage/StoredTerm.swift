/// A variable's place and its factor.
struct StoredTerm: BitwiseCopyable {
  var coefficient: Double
  var variable: Int32
}
