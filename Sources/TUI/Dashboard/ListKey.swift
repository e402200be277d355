import Measurement

/// What the lists show: they are made anew when this changes.
struct ListKey: Equatable {
  let last: [Int64?]
  let counts: [Int]
  let positions: [ListPosition]
  let targets: [DisplayedTarget]
  let runs: [RunEntry]
  let filter: ListFilter?
  let runsPosition: RunsPosition
  let shown: RunID?

  init(_ snapshot: Snapshot, _ latest: Snapshot, _ state: ViewState) {
    last = [snapshot.log.last?.number, snapshot.events.last?.number]
    counts = [
      snapshot.log.count, snapshot.logList.first, snapshot.logList.total, snapshot.events.count,
      snapshot.eventList.first, snapshot.eventList.total,
    ]
    positions = [state.logPosition, state.eventPosition]
    targets = snapshot.targets
    runs = latest.runs
    filter = state.filter
    runsPosition = state.runs
    shown = snapshot.run?.id
  }
}
