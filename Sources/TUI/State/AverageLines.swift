/// Which running averages are drawn.
enum AverageLines: Sendable, Hashable, CaseIterable {
  case both
  case median
  case mean
  case none

  var showsMedian: Bool { self == .both || self == .median }
  var showsMean: Bool { self == .both || self == .mean }

  var next: AverageLines {
    switch self {
    case .both: .median
    case .median: .mean
    case .mean: .none
    case .none: .both
    }
  }
}
