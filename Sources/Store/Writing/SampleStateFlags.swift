import Measurement

/// What the counters need to know of a row, in one byte: its state, whether it went out, whether the provider
/// accepted it.
struct SampleStateFlags: Equatable {
  private var bits: UInt8

  init(state: NotificationState, isSent: Bool, isAccepted: Bool) {
    bits = UInt8(state.rawValue) | (isSent ? 0x10 : 0) | (isAccepted ? 0x20 : 0)
  }

  init(_ sample: Sample) {
    self.init(
      state: sample.state, isSent: sample.scheduleLag != nil, isAccepted: sample.acceptLatency != nil)
  }

  /// Only made from a state's raw value, so that there is one for it.
  var state: NotificationState { NotificationState(rawValue: Int(bits & 0x0F)) ?? .planned }
  var isSent: Bool { bits & 0x10 != 0 }
  var isAccepted: Bool { bits & 0x20 != 0 }
}
