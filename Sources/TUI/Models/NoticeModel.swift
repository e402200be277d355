import ConstraintAnimation
import Measurement

/// A notice in place of the dashboard: what is wrong, where, and what to do.
struct NoticeModel: Sendable, Equatable {
  let title: String
  /// Sentences, wrapped at spaces.
  let body: [String]
  /// What happens without any action.
  private(set) var outlook: String?

  static let leastColumns = 60
  static let leastRows = 16

  /// The notice for a store that cannot be shown; `nil` when it can.
  init?(condition: StoreCondition, place: DashboardPlace, collector: CollectorStatus? = nil) {
    switch place.kind {
    case .store: self.init(condition, path: place.name, collector)
    case .fleet: self.init(condition, fleet: place.name)
    }
  }

  /// What an engine answers is an error with a place and a remedy of its own.
  private init?(_ condition: StoreCondition, fleet: String) {
    outlook = "The dashboard keeps trying."
    switch condition {
    case .opening, .ready: return nil
    case .empty:
      title = "Nothing recorded yet"
      body = [
        "\(fleet) has no run of that time.",
        "See what there is: pushscope fleet status, pushscope runs list --fleet --since -30d",
      ]
    case .noSuchRun(let run):
      title = "No such run"
      body = ["\(fleet) has no run \(run).", "See which there are: pushscope runs list --fleet --since -30d"]
    case .noSuchTarget(let target, let available):
      title = "No such target"
      body = Self.noSuchTarget(target, available)
    case .missing, .gone, .notAStore(_), .corrupt(_), .newer(_), .locked:
      title = "The fleet cannot be read"
      body = ["\(fleet) does not answer as it should.", Self.fleetStatus]
    case .unreadable(let why, _):
      title = "The fleet cannot be read"
      body = ["\(why).", Self.fleetStatus]
    }
  }

  private static let fleetStatus = "See what it answers: pushscope fleet status"

  private static func noSuchTarget(_ target: String, _ available: [String]) -> [String] {
    [
      "The run has no target \(target).",
      available.isEmpty ? "It has none at all." : "It has \(ListText.and(available)).",
    ]
  }

  private init?(_ condition: StoreCondition, path: String, _ collector: CollectorStatus?) {
    switch condition {
    case .opening, .ready: return nil
    case .missing:
      title = "No store yet"
      body = [
        "There is no file \(path).", "Start a collector, which creates it: pushscope collect --store \(path)",
      ]
      outlook = "The dashboard opens as soon as there is one."
    case .gone:
      title = "The store is gone"
      body = [
        "The file \(path) was deleted or moved away while it was shown.",
        "A collector that was writing it ends. Start it again to record into a new one.",
      ]
      outlook = "The dashboard opens as soon as there is a store again."
    case .empty:
      title = "Nothing recorded yet"
      body = [
        "\(path) holds no run.",
        collector?.isIdle ?? false
          ? "A collector is running and idle: s starts a run."
          : "Start one: pushscope collect --store \(path)",
      ]
      outlook = "The dashboard opens when the first run begins."
    case .notAStore(let why):
      title = "Not a pushscope store"
      body = ["\(path): \(why).", "Point --store at the file that the collector writes."]
    case .corrupt(let why):
      title = "The store is damaged"
      body = [
        "\(path): \(why).",
        "Stop the collector, keep a copy, and try to save what can be read: "
          + "sqlite3 \(path) .recover | sqlite3 rescued.sqlite",
      ]
    case .newer(let why):
      title = "The store is newer than this pushscope"
      body = ["\(path): \(why).", "Use the pushscope that wrote it, or a newer one. Nothing was changed."]
    case .locked:
      title = "The store is locked"
      body = [
        "Another program keeps \(path) locked.",
        "Collectors do not; look for a backup or an open sqlite3 shell: fuser \(path)",
      ]
      outlook = "The dashboard continues as soon as the lock is released."
    case .unreadable(let why, let remedy):
      title = "The store cannot be read"
      let advice = remedy.map { "\($0.raisedFirst)." }
      body = [
        "\(path): \(why).", advice ?? "See what can be read of it: pushscope store check --store \(path)",
      ]
      outlook = "The dashboard keeps trying."
    case .noSuchRun(let run):
      title = "No such run"
      body = ["\(path) holds no run \(run).", "See which there are: pushscope runs list --store \(path)"]
    case .noSuchTarget(let target, let available):
      title = "No such target"
      body = Self.noSuchTarget(target, available)
    }
  }

  /// The notice for a terminal that is too small; `nil` when it is not.
  init?(columns: Int, rows: Int) {
    guard columns < Self.leastColumns || rows < Self.leastRows else { return nil }
    title = "Too small"
    var missing: [String] = []
    if columns < Self.leastColumns {
      missing.append(CountText.text(Self.leastColumns - columns, "more column"))
    }
    if rows < Self.leastRows { missing.append(CountText.text(Self.leastRows - rows, "more row")) }
    body = [
      "\(columns)x\(rows) here, \(Self.leastColumns)x\(Self.leastRows) needed: \(ListText.and(missing))."
    ]
    outlook = "Enlarge the window, or q to quit."
  }

  func picture(width: Int, height: Int, _ appearance: Appearance) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    let measure = max(1, min(width - 4, 72))
    var lines: [(String, CellStyle)] = [(title, appearance(.warning)), ("", .plain)]
    for sentence in body {
      lines += FittedText.wrapped(sentence, columns: measure).map { ($0, appearance(.text)) }
    }
    if let outlook {
      lines.append(("", .plain))
      lines += FittedText.wrapped(outlook, columns: measure).map { ($0, appearance(.secondary)) }
    }
    if lines.count > height { lines.removeAll { $0.0.isEmpty } }
    let left = max(0, (width - (lines.map { TextSpan($0.0, .plain).columns }.max() ?? 0)) / 2)
    let top = max(0, (height - lines.count) / 2)
    for (offset, line) in lines.enumerated() where top + offset < height {
      picture.lines.append(
        CellPicture.Line(x: left, y: top + offset, spans: [TextSpan(line.0, line.1)], end: width))
    }
    return picture
  }
}
