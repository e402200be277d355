public import Measurement

/// Whether a run is being recorded.
public enum RunPhase: Sendable, Equatable {
  /// The collector writes.
  case live
  /// The collector has not written since: it was killed or stopped, its host is down, or its commits fail.
  case silent(since: WallTime)
  /// - Parameter reason: the stored word; empty where none was stored.
  case ended(at: WallTime, reason: String)

  /// A running collector writes each second; one that has not for this long is taken to be gone.
  public static let silence = Duration.seconds(5)

  /// When recording stopped; `nil` while it goes on.
  public var stoppedAt: WallTime? {
    switch self {
    case .live: nil
    case .silent(let time), .ended(let time, _): time
    }
  }

  /// A word or two for reports: `recording`, `collector gone`, `stopped`.
  public var word: String {
    switch self {
    case .live: "recording"
    case .silent: "collector gone"
    case .ended(_, let reason): reason.isEmpty ? "ended" : reason
    }
  }
}

extension RunRecord {
  /// The phase, judged by ``lastHeartbeat``.
  public func phase(at now: WallTime) -> RunPhase {
    if let endedAt { return .ended(at: endedAt, reason: endReason?.rawValue ?? "") }
    let heard = lastHeartbeat ?? startedAt
    return now - heard > RunPhase.silence ? .silent(since: heard) : .live
  }
}
