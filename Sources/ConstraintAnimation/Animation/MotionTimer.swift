/// Something to do at a time.
struct MotionTimer {
  let id: UInt64
  let deadline: MotionTime
  let action: () -> Void
}
