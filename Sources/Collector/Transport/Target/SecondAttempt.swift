/// A notification that was on the wire once and that the peer certainly did not process (RFC 9113, section 8.7): it may be
/// sent once more without anybody getting it twice.
struct SecondAttempt {
  var notification: PlannedNotification
  /// What the first attempt came to: the end of it, if there is no second one after all.
  var failure: TransferFailure
}
