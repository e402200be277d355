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
      let hour: Int64 = 3_600_000_000
      guard startedAt.microseconds &- hour < end.microseconds else { return false }
      return endedAt.map { $0.microseconds &+ hour >= start.microseconds } ?? true
    }
  }

  struct Target {
    var id: TargetID
    var run: RunID
    var name: String
    var provider: String
    var endpoint: String?
    var device: String?
    /// µs.
    var receiptDeadline: Int64?
    var askedRate: Double
    /// The members in the order of their runs.
    var members: [Member]
  }

  struct Run: Equatable {
    var id: RunID
    var name: String?
    var collector: String
    var startedAt: WallTime
    var endedAt: WallTime?
    var endReason: Stored<RunEndReason>?
    /// The targets in the order of their names.
    var targets: [TargetID] = []
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
        return !isGrouped && own.name == other.name && own.provider == other.provider
          && own.members.first?.key.collector == other.members.first?.key.collector
          && (own.endpoint == other.endpoint || own.endpoint == nil || other.endpoint == nil)
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
    var uuid: String
    var label: String

    var key: RunKey { RunKey(collector: run.collector, run: uuid) }
  }

  private struct TargetRow {
    var name: String
    var provider: String
    var endpoint: String?
    var device: String?
    var receiptDeadline: Int64?
    var askedRate: Double
  }

  private struct RunKey: Hashable {
    var collector: String
    var run: String
  }

  private mutating func list(_ found: [RunRow], _ selected: Set<RunKey>, _ rows: [RunKey: [TargetRow]]) {
    for row in found {
      let key = row.key
      var run = row.run
      for target in rows[key] ?? [] {
        let member = Member(
          key: FleetKey(collector: key.collector, run: key.run, target: target.name),
          startedAt: run.startedAt, endedAt: run.endedAt)
        run.targets.append(add(target, of: run, [member]))
      }
      if selected.contains(key) { runs.append(run) }
    }
  }

  /// What the runs with one value of the label have of a target.
  private struct Group {
    var row: TargetRow
    var members: [Member] = []
    /// The rates of each collector's newest selected run.
    var rates: [String: Double] = [:]
  }

  private mutating func group(_ found: [RunRow], _ selected: Set<RunKey>, _ rows: [RunKey: [TargetRow]]) {
    for (label, members) in Dictionary(grouping: found, by: \.label).sorted(by: { $0.key < $1.key }) {
      let chosen = members.filter { selected.contains($0.key) }.map(\.run)
      guard var run = chosen.last, let oldest = chosen.first else { continue }
      run.name = label
      run.startedAt = oldest.startedAt
      let isOpen = chosen.contains { $0.endedAt == nil }
      run.endedAt = isOpen ? nil : chosen.compactMap(\.endedAt).max()
      if isOpen { run.endReason = nil }
      var groups: [[String]: Group] = [:]
      for member in members {
        for target in rows[member.key] ?? [] {
          var group = groups[[target.name, target.provider]] ?? Group(row: target)
          group.members.append(
            Member(
              key: FleetKey(collector: member.key.collector, run: member.key.run, target: target.name),
              startedAt: member.run.startedAt, endedAt: member.run.endedAt))
          if selected.contains(member.key) {
            group.row = target
            group.rates[member.key.collector] = target.askedRate
          }
          groups[[target.name, target.provider]] = group
        }
      }
      for (_, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      where !group.rates.isEmpty {
        var row = group.row
        row.askedRate = group.rates.values.reduce(0, +)
        run.targets.append(add(row, of: run, group.members))
      }
      runs.append(run)
    }
  }

  private mutating func add(_ row: TargetRow, of run: Run, _ members: [Member]) -> TargetID {
    let id = numbers.id(
      of: .init(run: run.id, collector: run.collector, target: row.name, provider: row.provider))
    targets[id] = Target(
      id: id, run: run.id, name: row.name, provider: row.provider, endpoint: row.endpoint, device: row.device,
      receiptDeadline: row.receiptDeadline, askedRate: row.askedRate, members: members)
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
    var reader = try client.binary(
      """
      SELECT toString(collector), toString(run), CAST(name AS Nullable(String)), started_at, ended_at,
        CAST(end_reason AS Nullable(String)), toString(\(label))
      FROM \(database).run FINAL WHERE \(condition(selection, database)) ORDER BY started_at, collector, run
      """)
    var rows: [RunRow] = []
    while !reader.isAtEnd {
      let collector = try reader.text()
      let uuid = try reader.text()
      let name = try reader.optionalText()
      let startedAt = try reader.time()
      let endedAt = try reader.optionalTime()
      let reason = try reader.optionalText()
      let label = try reader.text()
      guard let id = RunID(uuid) else { continue }
      let run = Run(
        id: id, name: name, collector: collector, startedAt: startedAt, endedAt: endedAt,
        endReason: reason.map(Stored.init(rawValue:)))
      rows.append(RunRow(run: run, uuid: uuid, label: label))
    }
    return rows
  }

  private static func targets(_ client: EngineClient, _ database: String, _ selection: FleetSelection)
    throws(FleetError) -> [RunKey: [TargetRow]]
  {
    var reader = try client.binary(
      """
      SELECT toString(collector), toString(run), toString(target), toString(provider), CAST(endpoint AS Nullable(String)),
        CAST(device AS Nullable(String)), receipt_deadline_us, asked_rate
      FROM \(database).target FINAL WHERE \(condition(selection, database)) ORDER BY target
      """)
    var rows: [RunKey: [TargetRow]] = [:]
    while !reader.isAtEnd {
      let key = RunKey(collector: try reader.text(), run: try reader.text())
      rows[key, default: []].append(
        TargetRow(
          name: try reader.text(), provider: try reader.text(), endpoint: try reader.optionalText(),
          device: try reader.optionalText(), receiptDeadline: try reader.optionalInteger(),
          askedRate: try reader.real()))
    }
    return rows
  }

  /// The runs that a selection means.
  private static func selected(_ rows: [RunRow], _ selection: FleetSelection, _ client: EngineClient)
    throws(FleetError) -> Set<RunKey>
  {
    func keys(_ rows: some Sequence<RunRow>) -> Set<RunKey> {
      Set(rows.map(\.key))
    }
    guard let wanted = selection.run else {
      return keys(
        rows.filter { row in
          let member = Member(
            key: FleetKey(collector: "", run: "", target: ""), startedAt: row.run.startedAt,
            endedAt: row.run.endedAt)
          return member.mayHave(
            selection.since ?? selection.recordedSince ?? WallTime(microseconds: .min),
            selection.until ?? WallTime(microseconds: .max))
        })
    }
    let prefix = wanted.lowercased()
    if wanted == "latest" { return keys(rows.suffix(1)) }
    var found = rows.filter { $0.uuid == prefix }
    if found.isEmpty { found = rows.filter { $0.run.name == wanted } }
    if found.isEmpty { found = rows.filter { $0.uuid.hasPrefix(prefix) } }
    guard let first = found.first, !wanted.isEmpty else {
      throw FleetError(
        .noSuchRun, place: client.place, detail: "there is no run \"\(EscapedText.make(wanted))\"")
    }
    guard first.run.name == wanted || prefix.utf8.count >= 4 else {
      throw FleetError(
        .noSuchRun, place: client.place,
        detail:
          "\"\(EscapedText.make(wanted))\" is too short for the beginning of an id, which takes 4 characters: name one of "
          + found.suffix(5).map(\.uuid).joined(separator: ", "))
    }
    guard found.count == 1 else {
      throw FleetError(
        .noSuchRun, place: client.place,
        detail: "\"\(EscapedText.make(wanted))\" may be any of \(found.count) runs: "
          + found.suffix(5).map(\.uuid).joined(separator: ", "))
    }
    return keys(found)
  }
}
