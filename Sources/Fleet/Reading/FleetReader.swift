import Configuration
import Measurement
import Store

/// Reads a fleet's engine for reports and dashboards: the engine counts, and the functions that reports of stores use compute figures
/// of the counts. Confined to one thread.
public final class FleetReader: SampleSource {
  let client: EngineClient
  private(set) var directory: FleetDirectory
  let rows: FleetRows
  let points: FleetPoints
  let clock: any HostClock
  /// What a dashboard follows; `nil` for reports, which look once.
  var following: FleetFollowing?
  private let database: String
  private let numbers: FleetNumbers
  private let selection: FleetSelection
  /// Numbers of variants by name, from 1; ``VariantID/none`` for the empty name.
  private var variants: [String: VariantID] = ["": .none]
  /// Numbers of device contexts by their text, from 1.
  private var contexts: [String: DeviceContextID] = [:]
  private var counts: [TargetID: TargetCounts] = [:]

  /// What a target's notifications came to, in the selected time.
  private struct TargetCounts {
    var variants: [VariantRecord] = []
    var storedID: TargetID?
    var oldest: WallTime?
    var newest: WallTime?
    /// When they are counted anew; `nil` for never.
    var due: MonotonicTime?

    /// Adds those of a variant, of which several members may have some.
    mutating func add(
      _ counts: StateCounts, of id: VariantID, _ name: String, storedID: TargetID?,
      _ planned: ClosedRange<WallTime>
    ) {
      if let place = variants.firstIndex(where: { $0.id == id }) {
        variants[place].counts += counts
      } else {
        variants.append(VariantRecord(id: id, name: name, counts: counts))
      }
      self.storedID = storedID ?? self.storedID
      oldest = min(planned.lowerBound, oldest ?? planned.lowerBound)
      newest = max(planned.upperBound, newest ?? planned.upperBound)
    }
  }

  /// Bins that are asked for at a time; fewer after an answer that was too large.
  private var binsAtOnce: Int64 = 256
  /// Members of targets that one query counts.
  private static let membersAtOnce = 500
  /// How often an ended run is counted again while it is followed: late receipts and corrections may come.
  private static let endedInterval = Duration.minutes(1)

  /// - Parameter numbers: shared with readers whose target ids must be the same.
  /// - Throws: ``FleetError``, also where no reader is configured, or the selection names a run that is not there.
  public init(
    _ fleet: FleetConfiguration, _ selection: FleetSelection, numbers: FleetNumbers = FleetNumbers(),
    clock: any HostClock = SystemClock()
  ) throws(FleetError) {
    guard let user = fleet.reader else {
      throw FleetError.missing("reader", "to read the fleet", in: fleet)
    }
    client = try EngineClient(fleet, as: user)
    _ = try FleetIdentity.fetch(client, database: fleet.database)
    directory = try FleetDirectory(client, database: fleet.database, selection, numbers)
    database = fleet.database
    rows = FleetRows(database: EngineText.identifier(fleet.database))
    points = FleetPoints(database: EngineText.identifier(fleet.database))
    self.selection = selection
    self.clock = clock
    self.numbers = numbers
  }

  /// Reads the runs and targets again; those that were there keep their numbers.
  /// - Returns: whether they have changed.
  func refresh() throws(FleetError) -> Bool {
    let old = directory
    directory = try FleetDirectory(client, database: database, selection, numbers)
    return directory.runs != old.runs
  }

  /// The server that was asked last.
  public var place: String { client.place }

  /// Oldest first.
  public var selectedRuns: [RunID] { directory.runs.map(\.id) }

  /// When the last run of each target ended, of those that are not recorded now; by name.
  public var recordedTo: [String: WallTime] {
    let targets = directory.runs.flatMap(\.targets).compactMap { directory[$0] }
    return Dictionary(grouping: targets, by: \.settings.name).compactMapValues { targets in
      targets.contains(where: \.isOpen) ? nil : targets.compactMap(\.endedAt).max()
    }
  }

  func variant(_ name: String) -> VariantID {
    if let known = variants[name] { return known }
    let id = VariantID(rawValue: Int64(variants.count))
    variants[name] = id
    return id
  }

  /// The parts of a target that may have notifications of a range of planned time.
  private func members(of target: TargetID, _ start: WallTime?, _ end: WallTime?) -> [FleetDirectory.Member] {
    directory[target]?.members.filter {
      $0.mayHave(start ?? .distantPast, end ?? .distantFuture)
    } ?? []
  }

  public func runs() throws -> [RunRecord] {
    try count(directory.runs.flatMap(\.targets))
    return try directory.runs.compactMap { try run($0.id) }
  }

  public func run(_ id: RunID) throws -> RunRecord? {
    guard let run = directory.run(id) else { return nil }
    let targets = try targets(of: id)
    var record = run.record
    record.targetNames = targets.map(\.name)
    record.counts = targets.reduce(into: StateCounts()) { $0 += $1.counts }
    if following != nil, record.endedAt == nil { record.lastHeartbeat = lastSign(of: run) }
    return record
  }

  /// The collector's last sign of life is the newest notification. While that one is no older than the schedule allows, it is due
  /// when the next one would be late: the engine is asked more seldom than a store.
  private func lastSign(of run: FleetDirectory.Run) -> WallTime {
    let now = clock.wallNow()
    let newest = run.targets.compactMap { newestPlanned(of: $0) }.max() ?? run.record.startedAt
    let fastest = run.targets.compactMap { directory[$0]?.settings.askedRate }.max() ?? 1
    let pause = max(FleetFollowing.silence, .bounded(seconds: 3 / max(fastest, 1e-6)))
    return now - newest > pause ? newest : now + pause
  }

  public func targets(of run: RunID) throws -> [TargetRecord] {
    guard let found = directory.run(run) else { return [] }
    try count(found.targets)
    return found.targets.compactMap { directory[$0] }.map { target in
      TargetRecord(
        id: target.id, storedID: counts[target.id]?.storedID, run: run, target.settings,
        variants: counts[target.id]?.variants ?? [])
    }
  }

  /// The planned times of what is followed, as of when it was counted, and up to now for open targets; `nil` where nothing is.
  private func known(_ targets: [TargetID]) throws(FleetError) -> ClosedRange<WallTime>? {
    guard following != nil else { return nil }
    try count(targets)
    let oldest = targets.compactMap { counts[$0]?.oldest }.min()
    let newest = targets.compactMap { target in
      directory[target]?.isOpen ?? false ? clock.wallNow() : counts[target]?.newest
    }.max()
    guard let oldest, let newest else { return nil }
    return oldest...max(oldest, newest)
  }

  /// The planned time of a target's last notification, as of when it was counted.
  func newestPlanned(of target: TargetID) -> WallTime? { counts[target]?.newest }

  /// Counts the notifications of targets by state: each target once, and those that are followed again from time to time.
  func count(_ targets: [TargetID]) throws(FleetError) {
    let began = clock.monotonicNow()
    let due = targets.filter { target in
      guard let counted = counts[target] else { return true }
      return counted.due.map { $0 <= began } ?? false
    }
    guard !due.isEmpty else { return }
    var found: [TargetID: TargetCounts] = [:]
    for target in due { found[target] = TargetCounts(storedID: counts[target]?.storedID) }
    var places: [FleetKey: TargetID] = [:]
    var members: [FleetDirectory.Member] = []
    for target in due {
      for member in self.members(of: target, selection.since, selection.until) {
        places[member.key] = target
        members.append(member)
      }
    }
    for start in stride(from: 0, to: members.count, by: Self.membersAtOnce) {
      let part = members[start..<min(members.count, start + Self.membersAtOnce)]
      try client.forEachRow(
        """
        SELECT toString(collector) AS c, toString(run) AS r, toString(target) AS t, toString(variant) AS name,
          toString(any(notification_id)), \(StateCounts.selected),
          toInt64(min(toUnixTimestamp64Micro(planned_at))), toInt64(max(toUnixTimestamp64Micro(planned_at)))
        FROM \(rows.samples(of: part, selection.since, selection.until))
        GROUP BY c, r, t, name ORDER BY c, r, t, name
        """
      ) { reader throws(FleetError) in
        let key = FleetKey(
          collector: try reader.text(), run: try reader.text(), target: try reader.text())
        let name = try reader.text()
        let storedID = NotificationID(try reader.text())?.sample.target
        let counted = try reader.counts()
        let (oldest, newest) = (try reader.time(), try reader.time())
        guard let target = places[key] else { return }
        found[target]?.add(
          counted, of: variant(name), name, storedID: storedID, oldest...max(oldest, newest))
      }
    }
    let end = clock.monotonicNow()
    let pause = max(FleetFollowing.interval, (end - began) * FleetFollowing.share)
    for (target, var counted) in found {
      if counted.variants.isEmpty {
        counted.variants = [VariantRecord(id: .none, name: "", counts: StateCounts())]
      }
      counted.variants.sort { $0.name < $1.name }
      if following != nil {
        counted.due = end + max(pause, directory[target]?.isOpen ?? false ? .zero : Self.endedInterval)
      }
      counts[target] = counted
    }
  }

  /// Collectors keep what they know of themselves.
  public func instrument(of run: RunID) throws -> InstrumentRecord? { nil }
  public func objectives() throws -> [ObjectiveRecord] { [] }
  /// A fleet keeps what collectors forget, and what its engine's own limits delete is gone without a trace.
  public func pruned() throws -> PrunedSpans { PrunedSpans() }

  public func targets(sameAs targets: [TargetID], recordedFrom from: WallTime, to: WallTime) throws
    -> [TargetStretch]
  {
    directory.targets(sameAs: targets).compactMap { target -> TargetStretch? in
      let members = target.members.filter { $0.startedAt < to && $0.endedAt.map { $0 > from } ?? true }
      guard let first = members.map(\.startedAt).min() else { return nil }
      let part = FleetDirectory.Target(id: target.id, settings: target.settings, members: members)
      return TargetStretch(target: target.id, startedAt: first, endedAt: part.endedAt)
    }.sorted { ($0.startedAt, $0.target) < ($1.startedAt, $1.target) }
  }

  public func plannedTimes(of targets: [TargetID], from start: WallTime?, to end: WallTime?) throws
    -> ClosedRange<WallTime>?
  {
    let members = targets.flatMap { self.members(of: $0, start, end) }
    var reader = try client.binary(
      """
      SELECT toInt64(count()), toInt64(min(toUnixTimestamp64Micro(planned_at))), toInt64(max(toUnixTimestamp64Micro(planned_at)))
      FROM \(rows.samples(of: members, start, end))
      """)
    let count = try reader.integer()
    let first = try reader.time()
    let last = try reader.time()
    return count == 0 ? nil : first...max(first, last)
  }

  /// The pace of a target. Several runs share no monotonic clock, so that planned times on the wall clock count for them.
  public func pace(of target: TargetID, from start: WallTime?, to end: WallTime?, due: Int) throws
    -> PlannedPace?
  {
    let members = self.members(of: target, start, end)
    let time = members.count == 1 ? "planned_monotonic_us" : "toUnixTimestamp64Micro(planned_at)"
    let order = start == nil && end == nil && members.count == 1 ? "sequence" : "planned_at"
    let from = "FROM \(rows.samples(of: members, start, end))"
    var reader = try client.binary(
      """
      WITH (SELECT argMin(\(time), \(order)) \(from)) AS first
      SELECT toInt64(count()), toInt64(ifNull(first, 0)), toInt64(argMax(\(time), \(order))), toInt64(countIf(\(time) = first))
      \(from)
      """)
    let count = try reader.integer()
    let first = try reader.integer()
    let last = try reader.integer()
    let dueAtFirst = try reader.count()
    guard count > 0 else { return nil }
    return PlannedPace(first: first, last: last, due: due, dueAtFirst: dueAtFirst)
  }

  public func pointCount(of targets: [TargetID], from start: WallTime, to end: WallTime, atMost limit: Int)
    throws -> Int
  {
    let samples = rows.samples(of: targets.flatMap { members(of: $0, start, end) }, start, end)
    var reader = try client.binary("SELECT toInt64(count()) FROM (SELECT 1 FROM \(samples) LIMIT \(limit))")
    return min(limit, try reader.count())
  }

  public func forEachRollup(
    of targets: [TargetID], plannedFrom start: WallTime?, to end: WallTime?, span: RollupSpan,
    figures: Set<RollupFigure>, _ body: (RollupBin) -> Void
  ) throws -> Range<WallTime>? {
    try forEachRollup(
      of: targets, plannedFrom: start, to: end, span: span,
      RollupQuery(database: rows.database, figures: figures), body)
  }

  /// The same with buckets of another precision.
  func forEachRollup(
    of targets: [TargetID], plannedFrom start: WallTime?, to end: WallTime?, span: RollupSpan,
    _ query: RollupQuery, _ body: (RollupBin) -> Void
  ) throws -> Range<WallTime>? {
    // No further than there is something.
    guard let planned = try known(targets) ?? plannedTimes(of: targets, from: start, to: end) else {
      return nil
    }
    let first = max(
      start.map(RollupSpan.firstWholeSecond) ?? .min, planned.lowerBound.seconds)
    let last = min(end.map(\.seconds) ?? .max, planned.upperBound.seconds + 1)
    guard first < last else { return nil }
    for target in targets.sorted() {
      for stretch in span.stretches(from: first, to: last) {
        var next = stretch.start
        while next < stretch.end {
          var slice = stretch
          (slice.start, slice.end) = (
            next, min(stretch.end, next + binsAtOnce * Int64(stretch.span.rawValue))
          )
          do throws(FleetError) {
            try visit(slice, of: target, query, body)
            next = slice.end
          } catch {
            guard error.code == .tooLarge, binsAtOnce > 1 else { throw error }
            binsAtOnce = max(1, binsAtOnce / 8)
          }
        }
      }
    }
    // Without a beginning there is nothing before.
    return (start == nil ? WallTime.distantPast : WallTime(seconds: first))..<WallTime(seconds: last)
  }

  private func visit(
    _ stretch: RollupStretch, of target: TargetID, _ query: RollupQuery, _ body: (RollupBin) -> Void
  ) throws(FleetError) {
    let members = self.members(
      of: target, WallTime(seconds: stretch.start),
      WallTime(seconds: stretch.end))
    guard !members.isEmpty else { return }
    try client.forEachRow(query.text(stretch, of: members)) { reader throws(FleetError) in
      body(try query.bin(&reader, span: stretch.span, of: target, variant))
    }
  }

  public func forEachSample(_ selection: RowSelection, _ body: (borrowing SampleRow) throws -> Void) throws {
    for target in selected(selection) {
      for member in members(of: target, selection.since, selection.until) {
        try forEachSample(of: target, member, selection.since, selection.until, body)
      }
    }
  }

  public func forEachSample(
    of target: TargetID, plannedFrom start: WallTime, to end: WallTime, columns: SampleColumns,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    guard start < end else { return }
    for member in members(of: target, start, end) { try forEachSample(of: target, member, start, end, body) }
  }

  private func forEachSample(
    of target: TargetID, _ member: FleetDirectory.Member, _ start: WallTime?, _ end: WallTime?,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    try forEachPage { last in
      try samples(rows.samples(of: member, start, end, after: last?.id.sequence ?? 0), of: target)
    } visit: {
      try SampleRow.forEach(of: $0, body)
    }
  }

  /// The notifications of a target that a query selects.
  func samples(_ query: String, of target: TargetID) throws(FleetError) -> [Sample] {
    try client.rows(query) { reader throws(FleetError) in
      try FleetRows.sample(&reader, of: target, variant, context)
    }
  }

  private func context(_ text: String) -> DeviceContextID? {
    guard !text.isEmpty else { return nil }
    if let known = contexts[text] { return known }
    let id = DeviceContextID(rawValue: Int64(contexts.count) + 1)
    contexts[text] = id
    return id
  }

  /// The contexts of the notifications that were visited.
  public func deviceContexts() -> [DeviceContextID: DeviceContext] {
    Dictionary(
      contexts.compactMap { text, id in DeviceContext(text: text).map { (id, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  public func receiptDevice(of target: TargetID) throws -> String? {
    guard let member = directory[target]?.members.first else { return nil }
    return try client.rows(
      rows.receipts(of: member, .everything, after: (sequence: 0, revision: .min), limit: 1)
    ) {
      reader throws(FleetError) in try FleetRows.receipt(&reader, of: target).receipt?.device
    }.first
  }

  public func labels(named name: String) throws -> [RunID: String] {
    var labels: [RunID: String] = [:]
    try client.forEachRow(
      "SELECT toString(run), labels[\(EngineText.quoted(name))] FROM \(database).run FINAL"
    ) { reader throws(FleetError) in
      let run = RunID(try reader.text())
      let value = try reader.text()
      if let run, !value.isEmpty { labels[run] = value }
    }
    return labels
  }

  /// Reads pages until one is not full, and visits them.
  /// - Parameter read: asks for what comes after a row.
  private func forEachPage<Row>(
    _ read: (_ last: Row?) throws -> [Row], visit: ([Row]) throws -> Void
  ) throws {
    var page: [Row] = []
    repeat {
      page = try read(page.last)
      try visit(page)
    } while page.count == FleetRows.page
  }

  /// The targets of a selection in the order of runs and names.
  private func selected(_ selection: RowSelection) -> [TargetID] {
    directory.runs.filter { selection.run ?? $0.id == $0.id }.flatMap(\.targets).filter { id in
      selection.targets.map { names in directory[id].map { names.contains($0.settings.name) } ?? false }
        ?? true
    }
  }

  public func forEachPing(of targets: [TargetID], in range: Range<WallTime>, _ body: (PingAnswer) -> Void)
    throws
  {
    for target in targets.sorted() {
      let members = self.members(of: target, range.lowerBound, range.upperBound)
      guard !members.isEmpty else { continue }
      try client.forEachRow(rows.pings(of: members, in: range)) { reader throws(FleetError) in
        if let ping = try reader.record(PingAnswer.columns, into: .blank(of: target)) { body(ping) }
      }
    }
  }

  public func forEachReceipt(_ selection: RowSelection, _ body: (ReceiptRecord) throws -> Void) throws {
    for target in selected(selection) {
      for member in members(of: target, nil, nil) {
        var parts = ReceiptParts()
        try forEachPage { last in
          try client.rows(
            rows.receipts(of: member, selection, after: (last?.sequence ?? 0, last?.revision ?? .min))
          ) { reader throws(FleetError) in try FleetRows.receipt(&reader, of: target) }
        } visit: {
          for case (_, let revision, let receipt?) in $0 {
            try parts.add(ReceiptRecord(revision: revision, receipt: receipt), finished: body)
          }
        }
        try parts.finish(body)
      }
    }
  }

  public func forEachRecord<Content: RecordContent>(
    _ selection: RowSelection, _ body: (StoredRecord<Content>) throws -> Void
  ) throws {
    let chosen = directory.runs.filter { selection.run ?? $0.id == $0.id }
    var places: [(collector: String, run: FleetDirectory.Run?)] = []
    if selection.run == nil { places += Set(chosen.map(\.collector)).sorted().map { ($0, nil) } }
    places += chosen.map { ($0.collector, $0) }
    var conditions = [FleetRows.isWithin("at", selection.since, selection.until)]
    if let names = selection.targets {
      let list = names.sorted().map(EngineText.quoted).joined(separator: ", ")
      conditions.append("ifNull(toString(target), '') IN (\(list))")
    }
    for place in places {
      try forEachPage { last in
        try records(
          Content.self, collector: place.collector, run: place.run?.id,
          where: conditions + ["toInt64(revision) > \(last?.revision ?? .min)"], order: "revision",
          limit: FleetRows.page
        ) { _ in nil }
      } visit: {
        for case (_, let record?) in $0 { try body(record) }
      }
    }
  }

  public func findings(_ selection: FindingSelection) throws -> [FindingRecord] {
    let chosen = directory.runs.filter { selection.run ?? $0.id == $0.id }.flatMap(\.targets)
    let members = chosen.flatMap { self.members(of: $0, nil, nil) }
    var ofAnyRun = selection
    ofAnyRun.run = nil
    let found = try findings(of: members).filter { selection.includes($0) }
    let patterns = try patterns(of: selection.run).filter { ofAnyRun.includes($0) }
    return patterns.isEmpty
      ? found : (found + patterns).sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  /// The daily patterns of a run's targets that began in an earlier run of the same collector and still come.
  private func patterns(of run: RunID?) throws(FleetError) -> [FindingRecord] {
    guard let run, let own = directory.run(run) else { return [] }
    let names = Set(own.targets.compactMap { directory[$0]?.settings.name })
    let earlier = directory.runs.filter {
      $0.collector == own.collector && $0.record.startedAt < own.record.startedAt
    }.flatMap(\.targets).filter { directory[$0].map { names.contains($0.settings.name) } ?? false }
    let members = earlier.flatMap { self.members(of: $0, nil, nil) }
    return try findings(of: members, where: "status = '\(FindingStatus.daily.rawValue)' AND ended_at IS NULL")
  }

  public func closedFindings(of targets: [TargetID], variants: Set<VariantID>?, in range: Range<WallTime>)
    throws -> [Range<WallTime>]
  {
    // All runs that measured the same.
    let members = directory.targets(sameAs: targets).flatMap(\.members)
    let names = variants.map { wanted in Set(self.variants.filter { wanted.contains($0.value) }.keys) }
    let found = try findings(of: members).compactMap { finding -> Range<WallTime>? in
      guard finding.status.word == .closed, let end = finding.endedAt,
        end > max(finding.startedAt, range.lowerBound),
        finding.startedAt < range.upperBound, names?.contains(finding.variant) ?? true
      else { return nil }
      return finding.startedAt..<end
    }
    return Set(found).sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  private func findings(
    of members: [FleetDirectory.Member], where condition: String = "1"
  ) throws(FleetError) -> [FindingRecord] {
    guard !members.isEmpty else { return [] }
    return try client.rows(
      """
      SELECT \(FindingRecord.columns.selected()) FROM \(rows.database).finding FINAL
      WHERE \(FleetRows.isOf(members)) AND \(condition) ORDER BY started_at, id
      """
    ) { reader throws(FleetError) in try reader.record(FindingRecord.columns, into: .blank) }
  }
}
