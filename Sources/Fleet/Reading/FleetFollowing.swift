import Measurement
import Store

/// What a reader that follows a fleet keeps between two looks at the engine.
struct FleetFollowing {
  /// When the engine may be asked for changes again.
  var nextLook: MonotonicTime
  /// What was handed out of each target's newest notifications.
  fileprivate var handed: [TargetID: HandedPoints] = [:]
  /// The last sequence number that was seen of each target.
  fileprivate var newest: [TargetID: Int64] = [:]

  fileprivate struct HandedPoints {
    /// Changes are followed from here on.
    var first: Int64
    var end: Int64
  }

  /// An engine is asked for changes no more often than this, and spends at most a tenth of the time on them.
  static let interval = Duration.milliseconds(1_500)
  static let share = 10
  /// A collector of which no row is newer than this is taken to be gone; slow schedules have longer pauses.
  static let silence = Duration.minutes(1)
  /// What is newer than this is read as notifications, not as sums: receipts of it may come.
  static let unsettled = Duration.minutes(1)
  /// Bits of a latency that sums for plots keep: to 0.8 %, and a tenth of what has to be sent.
  static let precision = 7
}

/// Runs are followed one by one, so that each target has one collector, whose revisions the cursors are.
extension FleetReader: DashboardSource {
  /// Asks the engine for its runs, unless it was asked a moment ago.
  public func hasChanged() throws -> Bool {
    let began = clock.monotonicNow()
    guard following.map({ began >= $0.nextLook }) ?? true else { return false }
    // Also after a failure.
    let nextLook = began + FleetFollowing.interval
    guard following != nil else {
      following = FleetFollowing(nextLook: nextLook)
      return true
    }
    following?.nextLook = nextLook
    let isOther = try refresh()
    let end = clock.monotonicNow()
    following?.nextLook = end + max(FleetFollowing.interval, (end - began) * FleetFollowing.share)
    return isOther || directory.runs.contains { $0.record.endedAt == nil }
  }

  public func isStillAt(_ place: String) -> Bool { true }
  public var identity: StoreIdentity? { nil }
  public func close() {}

  public func latestRun() throws -> RunRecord? { try directory.runs.last.flatMap { try run($0.id) } }
  public func presence() throws -> CollectorPresence? { nil }
  public func forwardPause() throws -> ForwardPause? { nil }

  public func retentionWait() throws -> RetentionWait? { nil }
  public func failedParts() throws -> [FailedPart] { [] }
  public func lastHandshakeFailure(of run: RunID) throws -> HandshakeFailure? { nil }
  public func undeliveredAlerts() throws -> Int { 0 }

  public func findings(of run: RunID, changedAfter cursor: Int64) throws -> [FindingRecord] {
    try findings(FindingSelection(run: run)).filter { $0.revision > cursor }.sorted {
      $0.revision < $1.revision
    }
  }

  // MARK: - Notifications

  /// The one member of each target, and its name's id.
  private func members(_ targets: [TargetID]) -> (
    members: [TargetID: FleetDirectory.Member], id: (String) -> TargetID?
  ) {
    var members: [TargetID: FleetDirectory.Member] = [:]
    var names: [String: TargetID] = [:]
    for target in targets {
      guard let found = directory[target] else { continue }
      members[target] = found.members.first
      names[found.settings.name] = target
    }
    return (members, { names[$0] })
  }

  public func lastPoints(of targets: [TargetID], limit: Int) throws -> PointPage {
    let (members, id) = members(targets)
    let known = following?.newest ?? [:]
    try client.forEachRow(points.newest(members.map { ($0.value, known[$0.key] ?? 0) })) {
      reader throws(FleetError) in
      let (target, sequence) = (id(try reader.text()), try reader.sequence())
      if let target { following?.newest[target] = sequence }
    }
    let starts = members.map { target, member in
      (target: target, member: member, sequence: max(1, (following?.newest[target] ?? 0) - Int64(limit) + 1))
    }
    // One answer for all targets, so that one cursor serves them.
    let found = try pointRows(points.from(starts.map { ($0.member, $0.sequence) }), id)
    let page = filled(found.map(\.row))
    for start in starts {
      let end = page.last { $0.id.target == start.target }.map { $0.id.sequence + 1 } ?? start.sequence
      following?.handed[start.target] = FleetFollowing.HandedPoints(first: start.sequence, end: end)
    }
    return PointPage(
      points: page, revision: found.map(\.revision).max() ?? 0,
      isTruncated: starts.contains { $0.sequence > 1 })
  }

  public func points(of targets: [TargetID], plannedFrom start: WallTime, to end: WallTime, limit: Int) throws
    -> PointPage
  {
    let (members, id) = members(targets)
    let found = try pointRows(points.within(Array(members.values), start, end, limit: limit + 1), id).map(
      \.row)
    let isTruncated = found.count > limit
    let page = filled(Array(found.prefix(limit)))
    // What reaches into the future is followed.
    if end > clock.wallNow() {
      for row in page {
        guard let handed = following?.handed[row.id.target] else { continue }
        following?.handed[row.id.target] = FleetFollowing.HandedPoints(
          first: min(handed.first, row.id.sequence), end: max(handed.end, row.id.sequence + 1))
      }
    }
    return PointPage(points: page, revision: 0, isTruncated: isTruncated)
  }

  /// Points and their revisions, without those of other targets.
  private func pointRows(_ query: String, _ id: (String) -> TargetID?) throws(FleetError) -> [(
    row: PointRow, revision: Int64
  )] {
    try client.rows(query) { reader throws(FleetError) in try FleetPoints.read(&reader, id) }
  }

  /// The rows by target, then sequence, with the gaps filled.
  private func filled(_ rows: [PointRow]) -> ContiguousArray<PointRow> {
    var page = ContiguousArray<PointRow>()
    page.reserveCapacity(rows.count)
    for (_, own) in Dictionary(grouping: rows, by: \.id.target).sorted(by: { $0.key < $1.key }) {
      page += FleetPoints.filled(own.sorted { $0.id < $1.id })
    }
    return page
  }

  /// Changed points of the targets whose newest notifications were read, from the first of those on.
  public func changedPoints(of targets: [TargetID], after cursor: Int64, limit: Int) throws
    -> ChangePage<PointRow>
  {
    let (members, id) = members(targets)
    let starts = members.map { ($0.value, following?.handed[$0.key]?.first ?? 1) }
    let found = try pointRows(points.changes(starts, after: cursor, limit: limit), id)
    var rows = ContiguousArray(found.map(\.row))
    let isComplete = rows.count < limit
    // What lies beyond the known ones follows them without a gap.
    for (target, own) in Dictionary(grouping: rows, by: \.id.target) {
      let end = following?.handed[target]?.end ?? 1
      let later = own.filter { $0.id.sequence >= end }.sorted { $0.id < $1.id }
      guard let last = later.last else { continue }
      let known = Set(later.map(\.id))
      rows += FleetPoints.filled(later, next: end).filter { !known.contains($0.id) }
      following?.handed[target]?.end = last.id.sequence + 1
      let newest = following?.newest[target] ?? 0
      following?.newest[target] = max(newest, last.id.sequence)
    }
    return ChangePage(
      rows: rows, next: max(cursor, found.map(\.revision).max() ?? cursor), isComplete: isComplete)
  }

  public func sample(_ id: SampleID) throws -> Sample? {
    guard let member = directory[id.target]?.members.first else { return nil }
    return try samples(rows.samples(of: member, sequences: [id.sequence]), of: id.target).first
  }

  /// Ids that are asked for at a time.
  private static var idsAtOnce: Int { 5_000 }

  public func forEachSample(withIDs ids: [SampleID], _ body: (borrowing SampleRow) throws -> Void) throws {
    let ids = ids.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.idsAtOnce) {
      let part = ids[start..<min(ids.count, start + Self.idsAtOnce)]
      for (target, own) in Dictionary(grouping: part, by: \.target).sorted(by: { $0.key < $1.key }) {
        guard let member = directory[target]?.members.first else { continue }
        try SampleRow.forEach(
          of: samples(rows.samples(of: member, sequences: own.map(\.sequence)), of: target), body)
      }
    }
  }

  public func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    guard let member = directory[id.target]?.members.first else { return [] }
    let query = rows.receipts(
      of: member, .everything, after: (sequence: id.sequence - 1, revision: .max), limit: limit)
    let found = try client.rows(query) { reader throws(FleetError) in
      let receipt = try FleetRows.receipt(&reader, of: id.target).receipt
      return receipt?.sample == id ? receipt : nil
    }
    return ReceiptParts.joined(found)
  }

  // MARK: - Sums

  public func rollups(
    of targets: [TargetID], from start: WallTime, to end: WallTime, span: RollupSpan,
    metrics: Set<Metric>, limit: Int
  ) throws -> RollupPage {
    var found: ContiguousArray<RollupRow> = []
    // Callers choose the span so that there are few.
    let query = RollupQuery(
      database: rows.database, figures: RollupFigure.ranged(metrics), precision: FleetFollowing.precision)
    _ = try forEachRollup(of: targets, plannedFrom: start, to: end, span: span, query) {
      found.append(RollupRow($0))
    }
    found.sort { ($0.start, $0.target, $0.variant) < ($1.start, $1.target, $1.variant) }
    let first = WallTime(seconds: RollupSpan.firstWholeSecond(start))
    return RollupPage(
      rows: found, coveredFrom: first,
      coveredTo: max(first, WallTime(seconds: end.seconds)),
      isTruncated: false, revision: 0)
  }

  /// All that an ended run has; of others, what is no longer new.
  public func rollupsCoverTo(of targets: [TargetID]) throws -> WallTime? {
    try count(targets)
    let ends = targets.compactMap { target -> WallTime? in
      guard let newest = newestPlanned(of: target) else { return nil }
      let isOpen = directory[target]?.isOpen ?? false
      return isOpen ? newest - FleetFollowing.unsettled : newest + .seconds(1)
    }
    return ends.max().map { WallTime(seconds: $0.seconds) }
  }

  // MARK: - Events and log

  /// ``RecordPlace`` of a row.
  private static let place = "(toUnixTimestamp64Micro(at), toInt64(revision))"

  private static func tuple(_ place: RecordPlace) -> String {
    "(toInt64(\(place.at.microseconds)), toInt64(\(place.revision)))"
  }

  public func last<Content>(_: Content.Type, of run: RunID, through place: RecordPlace, limit: Int) throws
    -> ChangePage<StoredRecord<Content>>
  {
    // Before the rows: what is written meanwhile is followed.
    let newest = try number("max(revision)", of: Content.self, run) ?? 0
    let found = try records(
      Content.self, of: run, where: "\(Self.place) <= \(Self.tuple(place))", order: "\(Self.place) DESC",
      limit)
    return ChangePage(
      rows: ContiguousArray(found.reversed().compactMap(\.record)), next: newest, isComplete: true)
  }

  public func first<Content>(_: Content.Type, of run: RunID, after place: RecordPlace, limit: Int) throws
    -> ContiguousArray<StoredRecord<Content>>
  {
    ContiguousArray(
      try records(
        Content.self, of: run, where: "\(Self.place) > \(Self.tuple(place))", order: Self.place, limit
      ).compactMap(\.record))
  }

  public func changes<Content>(_: Content.Type, of run: RunID, after cursor: Int64, limit: Int) throws
    -> ChangePage<StoredRecord<Content>>
  {
    let found = try records(
      Content.self, of: run, where: "toInt64(revision) > \(cursor)", order: "revision", limit)
    return ChangePage(
      rows: ContiguousArray(found.compactMap(\.record)), next: found.map(\.revision).max() ?? cursor,
      isComplete: found.count < limit)
  }

  public func count<Content: RecordContent>(_: Content.Type, of run: RunID, before place: RecordPlace) throws
    -> Int
  {
    Int(try number("count()", of: Content.self, run, where: "\(Self.place) < \(Self.tuple(place))") ?? 0)
  }

  private func records<Content: RecordContent>(
    _: Content.Type, of run: RunID, where condition: String, order: String, _ limit: Int
  ) throws -> [(revision: Int64, record: StoredRecord<Content>?)] {
    guard let found = directory.run(run) else { return [] }
    return try records(
      Content.self, collector: found.collector, run: run, where: [condition], order: order, limit: limit,
      id: members(found.targets).id)
  }

  /// A whole number that is computed of all records of a run; `nil` without the run.
  private func number<Content: RecordContent>(
    _ aggregate: String, of _: Content.Type, _ run: RunID, where condition: String = "1"
  ) throws -> Int64? {
    guard let found = directory.run(run) else { return nil }
    var reader = try client.binary(
      "SELECT toInt64(\(aggregate)) \(from(Content.table, collector: found.collector, run: run)) AND \(condition)"
    )
    return try reader.integer()
  }

  private func from(_ table: ForwardedTable, collector: String, run: RunID?) -> String {
    let id = run?.description ?? ForwardedTable.noRun
    return """
      FROM \(rows.database).\(table.rawValue) FINAL
        WHERE collector = toUUID(\(EngineText.quoted(collector))) AND run = toUUID(\(EngineText.quoted(id)))
      """
  }

  /// Asks for events or log lines and decodes the answer.
  ///
  /// - Parameters:
  ///   - run: `nil` for those of no run.
  ///   - id: of a target's name.
  /// - Returns: `nil` in `record` for what only a newer pushscope knows.
  func records<Content: RecordContent>(
    _: Content.Type, collector: String, run: RunID?, where conditions: [String], order: String, limit: Int,
    id: (String) -> TargetID?
  ) throws -> [(revision: Int64, record: StoredRecord<Content>?)] {
    try client.rows(
      """
      SELECT toInt64(revision), CAST(target AS Nullable(String)), \(Content.columns.selected())
      \(from(Content.table, collector: collector, run: run)) AND \(conditions.joined(separator: " AND "))
      ORDER BY \(order) LIMIT \(limit)
      """
    ) { reader throws(FleetError) in
      let (revision, name) = (try reader.integer(), try reader.optionalText())
      var content = try reader.record(Content.columns, into: Content.blank)
      content?.target = name.flatMap(id)
      return (
        revision, content.map { StoredRecord(revision: revision, run: run, targetName: name, content: $0) }
      )
    }
  }
}
