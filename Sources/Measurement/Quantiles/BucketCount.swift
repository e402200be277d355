/// How many values a bucket holds.
struct BucketCount: Equatable {
  var index: Int32
  var count: Int
}
