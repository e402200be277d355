import Findings
import Measurement

/// The times of a finding, which it keeps in µs.
extension Finding {
  var startTime: WallTime {
    get { WallTime(microseconds: start) }
    set { start = newValue.microseconds }
  }

  var endTime: WallTime? {
    get { end.map(WallTime.init(microseconds:)) }
    set { end = newValue?.microseconds }
  }

  /// The end of the stretch looked at so far.
  var seenTime: WallTime {
    get { WallTime(microseconds: seenUntil) }
    set { seenUntil = newValue.microseconds }
  }

  var detectionTime: WallTime {
    get { WallTime(microseconds: detectedAt) }
    set { id.detectedAt = newValue.microseconds }
  }

  /// When it can have begun.
  var startTimeRange: ClosedRange<WallTime>? {
    startInterval.map {
      WallTime(microseconds: $0.lowerBound)...WallTime(microseconds: $0.upperBound)
    }
  }
}
