/// A symbol's seat in the dense accumulator that sparse rows are added up in; all zero between uses.
struct ScratchSlot: BitwiseCopyable {
  var value = 0.0
  /// Which row last met the symbol, plus one.
  var seen: Int32 = 0
}
