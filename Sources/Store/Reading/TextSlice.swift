/// Where a text lies in a chunk's bytes, packed into the number that stands in the text's column.
struct TextSlice {
  var offset: Int
  var count: Int

  init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  init(packed: Int64) {
    offset = Int(packed >> 32)
    count = Int(packed & 0xFFFF_FFFF)
  }

  var packed: Int64 { Int64(offset) << 32 | Int64(count) }
}
