import Analysis
import Measurement
import Store

/// Holds the notifications that the plots show and keeps them up to date: the newest ones, those of a window in the past,
/// and sums from the rollups where there are too many to read one by one.
struct PointFollower {
  private let clock: any HostClock
  /// The number of points of one window that are read one by one at most.
  private let capacity: Int
  /// Whether few rows are read much faster than many.
  private let costsByRow: Bool
  private var targets: [TargetID] = []
  private var values: PointValueReader
  private var request: ReadRequest?
  private var live = PointWindow()
  /// A window in the past that the live points do not reach.
  private var past: PointWindow?
  /// Sums of what lies before the points.
  private var density: Density?
  /// Another window than before is wanted, and has not been read yet.
  private(set) var isAsked = false
  /// The sums are coarser than they could be: finer ones are to be read next.
  private(set) var isCoarse = false
  /// When the sums may be read again.
  private var densityDue = MonotonicTime.zero
  /// Revision up to which changes have been read.
  private var cursor: Int64 = 0
  /// Increases with every change that shows.
  private(set) var changes: UInt64 = 0

  /// How often the sums of a growing run are read anew.
  static let densityInterval = Duration.seconds(10)

  /// - Parameters:
  ///   - costsByRow: whether few rows are read much faster than many.
  ///   - zone: of hours and weekdays that notifications are divided by.
  init(clock: any HostClock, capacity: Int, costsByRow: Bool, zone: LocalTime) {
    self.clock = clock
    self.capacity = capacity
    self.costsByRow = costsByRow
    values = PointValueReader(clock: clock, zone: zone)
  }

  /// Sets the window that is wanted; ``serve(_:)`` reads it.
  mutating func ask(_ request: ReadRequest?) {
    if request != self.request { isAsked = true }
    self.request = request
  }

  /// Sets the key by whose values the points are divided; `nil` for none. ``divide(_:)`` does it.
  mutating func color(by key: BreakdownKey?) { values.ask(key) }

  /// Sets the targets as they are stored now; other ones than before need ``restart(_:targets:)``.
  mutating func set(_ targets: [TargetRecord]) { values.set(targets) }

  /// Divides the points in memory, where another key is wanted than before.
  mutating func divide(_ reader: any DashboardSource) throws {
    guard values.needsDivision else { return }
    let start = [live.firstPlanned, past?.firstPlanned].compactMap { $0 }.min()
    try values.begin(reader, from: start)
    try values.number(&live, reader)
    if var past {
      try values.number(&past, reader)
      self.past = past
    }
  }

  /// Lets the next call of ``ask(_:)`` find another window.
  mutating func askAgain() { request = nil }

  /// Reads the newest points of these targets, then the window that is wanted.
  mutating func restart(_ reader: any DashboardSource, targets: [TargetID]) throws {
    self.targets = targets
    let limit = max(1, min(PointWindow.firstLook, capacity) / max(1, targets.count))
    let page = try reader.lastPoints(of: targets, limit: limit)
    live = PointWindow(targets: targets, page: page)
    cursor = page.revision
    try values.begin(reader, from: live.firstPlanned)
    try values.number(&live, reader)
    (past, density, isCoarse) = (nil, nil, false)
    changes += 1
    if request != nil { try serve(reader) }
  }

  /// Reads what changed since the last call.
  /// - Returns: whether any row of any kind has changed.
  mutating func follow(_ reader: any DashboardSource) throws -> Bool {
    let before = cursor
    while true {
      let page = try reader.changedPoints(of: targets, after: cursor, limit: 5_000)
      cursor = page.next
      var rows = page.rows
      try values.number(&rows, reader)
      for row in rows where live.concerns(row) {
        changes += 1
        past?.update(row)
        live.add(row)
      }
      if page.isComplete || live.isBehind { break }
    }
    if live.isBehind || !live.settle() {
      try restart(reader, targets: targets)
    } else if live.trim(), request != nil {
      // The points that were dropped are needed as sums.
      try serve(reader)
    }
    if density != nil, cursor != before, clock.monotonicNow() >= densityDue { try serve(reader) }
    return cursor != before
  }

  /// Reads the window that is wanted, unless it is in memory.
  mutating func serve(_ reader: any DashboardSource) throws {
    isAsked = false
    guard let request else { return }
    // What retention has deleted is in the sums only.
    let isPruned = try reader.pruned().hasPruned(samplesFrom: request.from)
    if !isPruned, live.covers(from: request.from) {
      (past, density, isCoarse) = (nil, nil, false)
      return
    }
    if density == nil, let past, request.to != nil, past.covers(from: request.from, to: request.to) { return }
    // Plans of a committed block lie ahead of now, by less than a day.
    let end = request.to ?? clock.wallNow() + .days(1)
    changes += 1
    // What is on display stays when something cannot be read.
    var sums: Density?
    let isFirstLook = costsByRow && density == nil && past == nil
    isCoarse = false
    let count =
      try isPruned ? 0 : reader.pointCount(of: targets, from: request.from, to: end, atMost: capacity + 1)
    if isPruned || count > capacity {
      let read = try DensityReading.read(
        targets, request, to: min(end, clock.wallNow()), isFirstLook: isFirstLook, in: reader)
      (sums, isCoarse) = (read?.sums, read?.isCoarse ?? false)
      densityDue = clock.monotonicNow() + Self.densityInterval
    }
    let from = sums?.end ?? request.from
    if request.to == nil, live.covers(from: from) || sums == nil && live.isFull {
      // The live points reach back to the sums, or as far as capacity allows.
      (past, density) = (nil, sums)
      return
    }
    let page = try reader.points(of: targets, plannedFrom: from, to: end, limit: 2 * capacity)
    var window = PointWindow(targets: targets, page: page, from: from, to: request.to)
    try values.number(&window, reader)
    density = sums
    if request.to == nil {
      // This page may be newer than the cursor: reading a change twice does no harm.
      (live, past) = (window, nil)
    } else {
      past = window
    }
  }

  /// Puts the points in memory on display.
  func show(in content: inout DashboardContent) {
    content.tracks = (past ?? live).tracks
    if let density {
      for place in content.tracks.indices { content.tracks[place].hiddenBefore = density.end }
    }
    (content.density, content.covered, content.values) = (density, covered, values.values)
    content.isTruncated =
      request.map { past?.isFull ?? !live.covers(from: density?.end ?? $0.from) } ?? false
  }

  /// The window that was asked for, and whatever else is in memory.
  private var covered: ReadStretch {
    guard let request else { return ReadStretch(from: live.coveredFrom) }
    guard past == nil else { return ReadStretch(from: request.from, to: request.to) }
    return ReadStretch(from: min(request.from, live.coveredFrom))
  }
}
