import Findings
import Measurement
import Store

/// Collects shares of the settled notifications of a series until a window is cut from them.
public struct SeriesShares: Sendable {
  private var shares: [(share: SeriesShare, counts: ShareBounds)]
  /// Whether some were missed of which it is not known any more whether they were refused.
  private var lacksReasons = false

  public init(_ shares: Set<SeriesShare>) { self.shares = shares.map { ($0, ShareBounds()) } }

  public mutating func add(_ row: borrowing SampleRow) { add(row, plannedAt: row.plannedAt) }

  mutating func add(_ row: borrowing SampleRow, plannedAt: WallTime) {
    let state = row.state
    guard state.isSettled else { return }
    for index in shares.indices {
      switch shares[index].share {
      case .lost:
        guard state.isAcceptedEnd else { continue }
        shares[index].counts.add(state.isLost ? 1 : 0, of: 1, plannedAt)
      case .failed: shares[index].counts.add(state == .failed ? 1 : 0, of: 1, plannedAt)
      case .unseen:
        guard let display = row.display, display != .awaited else { continue }
        shares[index].counts.add(display == .shown ? 0 : 1, of: 1, plannedAt)
      case .inTime:
        shares[index].counts.add(state.isGood ? 1 : 0, of: 1, plannedAt)
      case .refused:
        shares[index].counts.add(state == .rejected || row.isMissedByRefusal ? 1 : 0, of: 1, plannedAt)
      case .within(let limit, let metric, let base):
        guard base == .planned || state.isAcceptedEnd else { continue }
        shares[index].counts.add(row, within: limit, metric, plannedAt: plannedAt)
      }
    }
  }

  /// Whether a rollup says all that is needed: it has no open notifications, and where refusals are asked for no missed
  /// ones, whose reason is not in it. One whose notifications are deleted is all that there is.
  public func isComplete(_ bin: RollupBin) -> Bool {
    if bin.isPruned { return true }
    return bin.counts.open == 0 && (bin.counts[.missed] == 0 || !shares.contains { $0.share == .refused })
  }

  /// Adds a rollup that it can take.
  public mutating func add(_ bin: RollupBin) { add(bin, plannedFrom: bin.plannedFrom) }

  mutating func add(_ bin: RollupBin, plannedFrom start: WallTime) {
    let settled = bin.counts.settled
    if bin.isPruned, bin.counts[.missed] > 0 { lacksReasons = true }
    let accepted = NotificationState.allCases.reduce(0) { $0 + ($1.isAcceptedEnd ? bin.counts[$1] : 0) }
    for index in shares.indices {
      switch shares[index].share {
      case .lost:
        shares[index].counts.add(bin.counts.lost, of: accepted, start)
      case .failed: shares[index].counts.add(bin.counts[.failed], of: settled, start)
      case .unseen: shares[index].counts.add(bin.counts.unseen, of: bin.counts.displaySettled, start)
      case .inTime:
        shares[index].counts.add(bin.counts.good, of: settled, start)
      case .refused: shares[index].counts.add(bin.counts[.rejected], of: settled, start)
      case .within(let limit, let metric, let base):
        shares[index].counts.add(
          bin, within: limit, metric, of: base == .planned ? settled : accepted, plannedFrom: start)
      }
    }
  }

  /// Whether a share can be told from what was collected.
  private func isKnown(_ share: SeriesShare) -> Bool { !(lacksReasons && share == .refused) }

  /// A share of the time in which the series was sent; `nil` when it is not collected, or cannot be told because retention has deleted what it is in.
  public func interval(
    of share: SeriesShare, in sent: SentTime, _ method: IntervalMethod = .dependent,
    history: SeriesHistory = .none
  ) -> ShareInterval? {
    shares.first { $0.share == share && isKnown(share) }?.counts.window(sent).interval(
      method, history: history.shares[share])
  }

  func windows(in sent: SentTime) -> [SeriesShare: WindowShareBounds] {
    Dictionary(
      uniqueKeysWithValues: shares.filter { isKnown($0.share) }.map { ($0.share, $0.counts.window(sent)) })
  }

  func history(_ plan: HistoryPlan, excluding excluded: [Range<WallTime>]) -> [SeriesShare: ShareHistory] {
    var histories: [SeriesShare: ShareHistory] = [:]
    for (share, counts) in shares where isKnown(share) {
      histories[share] = counts.measured.history(plan, excluding: excluded)
    }
    return histories
  }
}

/// How intervals are computed.
public enum IntervalMethod: Sendable, Hashable {
  /// Values depend on one another, as probes do: what disturbs one disturbs its neighbors too.
  case dependent
  /// Values are independent: order statistics of quantiles, Clopper and Pearson's interval of shares.
  case independent
}

extension SampleRow {
  fileprivate var isMissedByRefusal: Bool {
    guard state == .missed else { return false }
    return withText(.reason) { reason in
      guard let reason else { return false }
      return MissedReason(rawValue: String(decoding: reason, as: UTF8.self))?.isRefusal ?? false
    }
  }
}
