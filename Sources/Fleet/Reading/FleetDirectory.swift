import Configuration
import FoundationEssentials
import Measurement
import Store

/// A target of a run in the engine: the beginning of the key of its notifications.
struct FleetKey: Hashable {
  /// Lower case.
  var collector: String
  var run: String
  var target: String
}

/// The runs and targets of a fleet, with numbers for those that read stores.
///
/// A run's number means nothing outside of this process. Where runs are grouped by a label, each value of it is one run whose
/// targets are those of the same name and provider on all collectors.
struct FleetDirectory {
  /// A part of a target: one of a run.
  struct Member {
    var key: FleetKey
    var startedAt: WallTime
    /// `nil` while it is being recorded.
    var endedAt: WallTime?

    /// Whether it may have notifications of a range of planned time. Wall clocks may be set while a run goes on.
    func mayHave(_ start: WallTime, _ end: WallTime) -> Bool {
      guard startedAt - .hours(1) < end else { return false }
      return endedAt.map { $0 + .hours(1) >= start } ?? true
    }
  }

  struct Target {
    var id: TargetID
    var settings: TargetDescription
    /// The members in the order of their runs.
    var members: [Member]

    /// Whether it is being recorded.
    var isOpen: Bool { members.contains { $0.endedAt == nil } }
    /// When its last run ended; `nil` while it is being recorded.
    var endedAt: WallTime? { isOpen ? nil : members.compactMap(\.endedAt).max() }
  }

  struct Run: Equatable {
    /// What the table `run` has: nothing of its notifications.
    var record: RunRecord
    /// The targets in the order of their names.
    var targets: [TargetID] = []

    var id: RunID { record.id }
    /// Lower case.
    var collector: String { record.collectorID.uuidString.lowercased() }
  }

  /// The selected runs, oldest first.
  private(set) var runs: [Run] = []
  private var targets: [TargetID: Target] = [:]
  private let numbers: FleetNumbers
  private let isGrouped: Bool

  subscript(id: TargetID) -> Target? { targets[id] }

  func run(_ id: RunID) -> Run? { runs.first { $0.id == id } }

  /// The targets of runs that measured the same as some targets, these included.
  func targets(sameAs ids: [TargetID]) -> [Target] {
    let wanted = ids.compactMap { self[$0] }
    return targets.values.sorted { $0.id < $1.id }.filter { other in
      wanted.contains { own in
        guard own.id != other.id else { return true }
        let (one, two) = (own.settings, other.settings)
        return !isGrouped && one.name == two.name && one.provider == two.provider
          && own.members.first?.key.collector == other.members.first?.key.collector
          && (one.endpoint == two.endpoint || one.endpoint == nil || two.endpoint == nil)
      }
    }
  }

  /// Reads all runs and targets. Memory grows with their number.
  /// - Throws: ``FleetError``, also where the selection names a run that is not there, or several.
  init(
    _ client: EngineClient, database: String, _ selection: FleetSelection, _ numbers: FleetNumbers
  ) throws(FleetError) {
    self.numbers = numbers
    isGrouped = selection.grouping != nil
    let found = try Self.runs(client, EngineText.identifier(database), selection)
    let selected = try Self.selected(found, selection, client)
    let byKey = try Self.targets(client, EngineText.identifier(database), selection)
    if isGrouped {
      group(found, selected, byKey)
    } else {
      list(found, selected, byKey)
    }
  }

  private struct RunRow {
    var run: Run
    var label: String
    var key: RunKey

    /// The part of a target that this run recorded.
    func member(_ target: TargetDescription) -> Member {
      Member(
        key: FleetKey(collector: key.collector, run: key.run, target: target.name),
        startedAt: run.record.startedAt, endedAt: run.record.endedAt)
    }
  }

  private struct RunKey: Hashable {
    var collector: String
    var run: String
  }

  private mutating func list(
    _ found: [RunRow], _ selected: Set<RunKey>, _ rows: [RunKey: [TargetDescription]]
  ) {
    for row in found {
      var run = row.run
      run.targets = (rows[row.key] ?? []).map { add($0, of: row.run, [row.member($0)]) }
      if selected.contains(row.key) { runs.append(run) }
    }
  }

  /// What the runs with one value of the label have of a target.
  private struct Group {
    var target: TargetDescription
    var members: [Member] = []
    /// The rates of each collector's newest selected run.
    var rates: [String: Double] = [:]
  }

  private mutating func group(
    _ found: [RunRow], _ selected: Set<RunKey>, _ rows: [RunKey: [TargetDescription]]
  ) {
    for (label, members) in Dictionary(grouping: found, by: \.label).sorted(by: { $0.key < $1.key }) {
      let chosen = members.filter { selected.contains($0.key) }.map(\.run)
      guard var run = chosen.last, let oldest = chosen.first else { continue }
      run.record.name = label
      run.record.startedAt = oldest.record.startedAt
      let isOpen = chosen.contains { $0.record.endedAt == nil }
      run.record.endedAt = isOpen ? nil : chosen.compactMap(\.record.endedAt).max()
      if isOpen { run.record.endReason = nil }
      var groups: [[String]: Group] = [:]
      for member in members {
        for target in rows[member.key] ?? [] {
          var group = groups[[target.name, target.provider]] ?? Group(target: target)
          group.members.append(member.member(target))
          if selected.contains(member.key) {
            group.target = target
            group.rates[member.key.collector] = target.askedRate
          }
          groups[[target.name, target.provider]] = group
        }
      }
      for (_, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      where !group.rates.isEmpty {
        var target = group.target
        target.askedRate = group.rates.values.reduce(0, +)
        run.targets.append(add(target, of: run, group.members))
      }
      runs.append(run)
    }
  }

  private mutating func add(_ target: TargetDescription, of run: Run, _ members: [Member]) -> TargetID {
    let id = numbers.id(
      of: .init(run: run.id, collector: run.collector, target: target.name, provider: target.provider))
    targets[id] = Target(id: id, settings: target, members: members)
    return id
  }

  /// The condition that selects runs with the labels which are not deleted.
  private static func condition(_ selection: FleetSelection, _ database: String) -> String {
    let labels = selection.labels.map {
      " AND mapContains(labels, \(EngineText.quoted($0.name))) AND labels[\(EngineText.quoted($0.name))] = \(EngineText.quoted($0.value))"
    }.joined()
    return "(collector, run) NOT IN (SELECT collector, run FROM \(database).tombstone)\(labels)"
  }

  private static func runs(_ client: EngineClient, _ database: String, _ selection: FleetSelection)
    throws(FleetError) -> [RunRow]
  {
    let label =
      selection.grouping.map {
        "if(mapContains(labels, \(EngineText.quoted($0))), concat(\(EngineText.quoted($0 + "=")), labels[\(EngineText.quoted($0))]), \(EngineText.quoted("no " + $0)))"
      } ?? "''"
    let columns = RunRecord.columns.forwarded()
    return try client.rows(
      """
      SELECT toString(\(label)), \(columns.selected())
      FROM \(database).run FINAL WHERE \(condition(selection, database)) ORDER BY started_at, collector, run
      """
    ) { reader throws(FleetError) in
      let label = try reader.text()
      return try reader.record(columns, into: .blank).map { record in
        let run = Run(record: record)
        return RunRow(run: run, label: label, key: RunKey(collector: run.collector, run: run.id.description))
      }
    }
  }

  private static func targets(_ client: EngineClient, _ database: String, _ selection: FleetSelection)
    throws(FleetError) -> [RunKey: [TargetDescription]]
  {
    let rows = try client.rows(
      """
      SELECT toString(collector), toString(run), \(TargetDescription.columns.selected())
      FROM \(database).target FINAL WHERE \(condition(selection, database)) ORDER BY target
      """
    ) { reader throws(FleetError) in
      let key = RunKey(collector: try reader.text(), run: try reader.text())
      return try reader.record(TargetDescription.columns, into: .blank).map { (key: key, target: $0) }
    }
    return Dictionary(grouping: rows, by: \.key).mapValues { $0.map(\.target) }
  }

  /// The runs that a selection means.
  private static func selected(_ rows: [RunRow], _ selection: FleetSelection, _ client: EngineClient)
    throws(FleetError) -> Set<RunKey>
  {
    guard let wanted = selection.run else {
      let start = selection.since ?? selection.recordedSince ?? .distantPast
      let end = selection.until ?? .distantFuture
      return Set(rows.filter { $0.member(.blank).mayHave(start, end) }.map(\.key))
    }
    if wanted == "latest" { return Set(rows.suffix(1).map(\.key)) }
    do throws(RunLookup.Failure) {
      return [rows[try RunLookup.find(wanted, in: rows.map(\.run.record))].key]
    } catch {
      let list = error.candidates.map(\.description).joined(separator: ", ")
      throw FleetError(
        .noSuchRun, place: client.place,
        detail: EscapedText.make(error.text) + (list.isEmpty ? "" : ": name one of \(list)"))
    }
  }
}
