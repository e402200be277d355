import ConstraintAnimation
import Measurement

/// What one pane keeps between frames: its picture and what that was drawn from, so that a frame draws only columns that have
/// changed.
struct PaneCache {
  /// What a picture is drawn from besides the dots.
  struct Scene {
    let background: ScatterBackground
    let marks: PlotMarks
    /// The column of the newest edge; as many as there are columns where it is beyond them.
    let edge: Int
    /// A line stands there.
    let showsEdge: Bool
    let lines: [RunningLine]
    /// Words say why there are no marks.
    let hasHint: Bool
  }

  var tiles = TiledRaster()
  /// The pane as it was drawn last, without what is pointed at and selected.
  var uncovered: CellPicture
  private var covered: (cells: CellRegion, picture: CellPicture)?
  private var scene: Scene?
  private var ground: CellPicture

  /// - Parameter ground: a background without anything on it.
  init(_ ground: CellPicture = CellPicture(width: 0, height: 0)) {
    self.ground = ground
    uncovered = ground
  }

  /// The pane as it was drawn last.
  var picture: CellPicture { covered?.picture ?? uncovered }

  /// Puts the background where the picture has to be drawn anew.
  /// - Parameter changed: columns whose dots have changed.
  /// - Returns: the columns to draw; `nil` for all of the picture.
  mutating func begin(_ scene: Scene, changed: [Range<Int>], zone: LocalTime) -> [Range<Int>]? {
    defer { self.scene = scene }
    let isSameGround = scene.background == self.scene?.background
    if !isSameGround { ground = scene.background.picture(zone: zone) }
    guard isSameGround, let earlier = self.scene, !scene.hasHint, !earlier.hasHint,
      scene.marks == earlier.marks, let columns = Self.differences(earlier, scene, changed)
    else {
      uncovered = ground
      return nil
    }
    let geometry = scene.background.geometry
    for range in columns { uncovered.paste(ground, part: geometry.cells(of: range), x: 0, y: 0) }
    return columns
  }

  /// Draws what is pointed at and selected.
  /// - Parameter cells: where that is.
  /// - Returns: where it is or was.
  mutating func cover(_ cells: CellRegion, draw: (inout CellPicture) -> Void) -> CellRegion {
    var region = covered?.cells ?? CellRegion()
    guard !cells.isEmpty else {
      covered = nil
      return region
    }
    region.formUnion(cells)
    var picture = uncovered
    draw(&picture)
    covered = (cells, picture)
    return region
  }

  /// Sets the title.
  /// - Returns: whether it is another one.
  mutating func setTitle(_ title: FittedLine) -> Bool {
    let old = uncovered.lines
    uncovered.lines = ground.lines
    TitleRow.add(title, to: &uncovered)
    return uncovered.lines != old
  }

  /// The columns that look different; `nil` where all may.
  private static func differences(_ old: Scene, _ new: Scene, _ changed: [Range<Int>]) -> [Range<Int>]? {
    let all = 0..<new.background.geometry.columns
    guard old.lines.count == new.lines.count else { return nil }
    var isChanged = Array(repeating: false, count: all.count)
    func note(_ range: Range<Int>) {
      for column in range.clamped(to: all) { isChanged[column] = true }
    }
    for range in changed { note(range) }
    if (old.edge, old.showsEdge) != (new.edge, new.showsEdge) {
      note(min(old.edge, new.edge)..<max(old.edge, new.edge) + 1)
    }
    let dots = new.background.appearance.glyphs.dots.columns
    for (old, new) in zip(old.lines, new.lines) {
      guard let first = old.firstDifference(from: new), let last = old.lastDifference(from: new) else {
        continue
      }
      note(first / dots..<last / dots + 1)
    }
    new.marks.spread(&isChanged, window: new.background.window)
    var ranges: [Range<Int>] = []
    for column in all where isChanged[column] {
      if let last = ranges.last, last.upperBound == column {
        ranges[ranges.count - 1] = last.lowerBound..<column + 1
      } else {
        ranges.append(column..<column + 1)
      }
    }
    return ranges
  }
}

/// What a plot keeps between frames.
struct PlotCache {
  var panes: [PaneCache] = []
  /// What the picture shows; `nil` where it is to be drawn anew.
  private var shown: (panes: ScatterPanes, shaded: ClosedRange<Int>?, appearance: Appearance)?

  /// Has the whole picture drawn anew next time.
  mutating func forgetPicture() { shown = nil }

  /// - Returns: whether the whole picture is to be drawn.
  mutating func begin(_ panes: ScatterPanes, shaded: ClosedRange<Int>?, _ appearance: Appearance) -> Bool {
    if self.panes.count != panes.panes.count {
      self.panes = Array(repeating: PaneCache(), count: panes.panes.count)
    }
    defer { shown = (panes, shaded, appearance) }
    return shown.map { $0 != (panes, shaded, appearance) } ?? true
  }
}
