import Analysis
import Measurement
import Store

@testable import TUI

extension SampleRun {
  /// Gives every good notification a value of a key: of `texts`, by a number that follows from its place.
  /// - Parameters:
  ///   - texts: in the order of the key.
  ///   - number: an index of `texts` for a target and a place in its track.
  mutating func divide(
    by key: BreakdownKey, _ texts: [String], division: Int = 1, _ number: (_ target: Int, _ place: Int) -> Int
  ) {
    var values = PointValues(division: division, key: key)
    values.set(texts, order: texts.indices.map { UInt8($0 + 1) })
    snapshot.values = values
    for target in snapshot.tracks.indices {
      let first = snapshot.tracks[target].firstSequence
      for place in 0..<snapshot.tracks[target].count {
        snapshot.tracks[target].setValue(UInt8(number(target, place) + 1), of: first + Int64(place))
      }
    }
  }
}
