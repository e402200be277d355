import ConstraintAnimation
import Measurement

/// The runs of the store as a table, the newest first.
struct RunsModel {
  let runs: [RunEntry]
  let position: RunsPosition
  /// The run on display.
  let shown: RunID?
  let now: WallTime
  let appearance: Appearance
  let zone: LocalTime

  func list(width: Int, height: Int) -> ListModel {
    let visible = position.visible(in: runs, rows: ListModel.room(height: height, hasHeading: height > 2))
    let chosen = position.place(in: runs)
    let names = min(28, max(13, runs.map { TextSpan($0.title, .plain).columns }.max() ?? 13))
    let isWide = width >= 100
    return ListModel(
      title: "runs", count: runs.count, visible: visible, follows: false, emptyText: "no run yet",
      heading: heading(names, isWide: isWide),
      rows: visible.map { row(runs[$0], names, isChosen: $0 == chosen, isWide: isWide) },
      appearance: appearance, width: width, height: height)
  }

  private func heading(_ names: Int, isWide: Bool) -> [TextSpan] {
    var columns = ["   " + field("run", names), field("began", 19), number("length", 9)]
    columns += (isWide ? ["planned", "delivered", "lost", "failed"] : ["planned"]).map { number($0, 10) }
    return [TextSpan(columns.joined(separator: "  ") + "  ended", appearance(.secondary))]
  }

  private func row(_ run: RunEntry, _ names: Int, isChosen: Bool, isWide: Bool) -> [TextSpan] {
    let mark = position.marked.firstIndex(of: run.id).map { $0 == 0 ? "a" : "b" } ?? " "
    let style = appearance(isChosen ? .strong : .text)
    let counts = run.counts
    // Where no receipt is expected, accepted is as far as it goes.
    let arrived = counts[.delivered] + counts[.late] + counts[.accepted]
    var spans = [
      TextSpan(isChosen ? ">" : " ", appearance(.accent)), TextSpan(mark, appearance(.warning)),
      TextSpan(run.id == shown ? "*" : " ", appearance(.live)),
      TextSpan(field(run.title, names) + "  ", style),
      TextSpan(field(zone.civil(run.startedAt).dateTime, 19) + "  ", appearance(.secondary)),
      TextSpan(number(Self.length(run.length(at: now)), 9) + "  ", style),
      TextSpan(number(FixedPoint.grouped(counts.due), 10) + "  ", style),
    ]
    if isWide {
      spans += [
        TextSpan(number(FixedPoint.grouped(arrived), 10) + "  ", style),
        count(counts[.lost], .lost), count(counts[.failed] + counts[.rejected], .failed),
      ]
    }
    return spans + [end(run.phase)]
  }

  private func count(_ count: Int, _ role: Role) -> TextSpan {
    TextSpan(number(FixedPoint.grouped(count), 10) + "  ", appearance(count > 0 ? role : .secondary))
  }

  private func end(_ phase: RunFacts.Phase) -> TextSpan {
    switch phase {
    case .live: TextSpan("\(appearance.glyphs.bullet) recording", appearance(.live))
    case .silent(let since):
      TextSpan("no word for \(HeaderModel.age(since: since, now: now))", appearance(.alarm))
    case .ended(_, let reason): TextSpan(reason, appearance(.secondary))
    }
  }

  /// `48 s`, `12:30 min`, `3:05 h`, `2.5 d`.
  static func length(_ microseconds: Int64) -> String {
    let seconds = microseconds / 1_000_000
    func two(_ value: Int64) -> String { FixedPoint.padded(value, width: 2) }
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60):\(two(seconds % 60)) min"
    case ..<172_800: "\(seconds / 3_600):\(two(seconds / 60 % 60)) h"
    default: FixedPoint.text(seconds * 10 / 86_400, scale: 10, decimals: 1) + " d"
    }
  }

  private func field(_ text: String, _ columns: Int) -> String {
    FittedText.field(text, columns: columns, ellipsis: appearance.glyphs.ellipsis)
  }

  private func number(_ text: String, _ columns: Int) -> String { FittedText.padded(text, columns: columns) }
}
