import ConstraintAnimation
import Measurement

/// What one pane keeps between frames: its picture and what that was drawn from, so that a frame draws only columns that have
/// changed.
struct PaneCache {
  /// What a picture is drawn from besides the dots.
  struct Scene {
    let background: ScatterBackground
    /// The column of the newest edge; as many as there are columns where it is beyond them.
    let edge: Int
    /// A line stands there.
    let showsEdge: Bool
    let lines: [RunningLine]
    let selection: Selection?
    /// Words say why there are no marks.
    let hasHint: Bool
  }

  var tiles = TiledRaster()
  /// The pane as it was drawn last, without what points at it.
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

  /// What is to be drawn of a picture.
  struct Work {
    let columns: [Range<Int>]
    /// Whether the picture may look different elsewhere, too.
    let isElsewhere: Bool
  }

  /// Moves what has moved and puts the background where the picture has to be drawn anew.
  /// - Parameter zone: of the labels.
  mutating func begin(_ scene: Scene, zone: LocalTime) -> Work {
    defer { self.scene = scene }
    let (background, geometry) = (scene.background, scene.background.geometry)
    let isSame = background == self.scene?.background
    guard let earlier = self.scene, isSame || background.differsInTime(from: earlier.background),
      !scene.hasHint, !earlier.hasHint, let columns = Self.differences(earlier, scene, tiles)
    else {
      if !isSame { ground = background.picture(zone: zone) }
      uncovered = ground
      return Work(columns: [0..<geometry.columns], isElsewhere: true)
    }
    if !isSame {
      background.drawTime(&ground, zone: zone)
      uncovered.shift(geometry.cells(of: 0..<geometry.columns), left: tiles.moved)
      uncovered.paste(ground, part: geometry.timeAxis, x: 0, y: 0)
    }
    for range in columns { uncovered.paste(ground, part: geometry.cells(of: range), x: 0, y: 0) }
    return Work(columns: columns, isElsewhere: !isSame)
  }

  /// Draws what points at it.
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

  /// The columns that look different once the others have moved; `nil` where all may.
  private static func differences(_ old: Scene, _ new: Scene, _ tiles: TiledRaster) -> [Range<Int>]? {
    let all = 0..<new.background.geometry.columns
    guard old.lines.count == new.lines.count, old.selection == new.selection else { return nil }
    var isChanged = Array(repeating: false, count: all.count)
    func markChanged(_ range: Range<Int>) {
      for column in range.clamped(to: all) { isChanged[column] = true }
    }
    for range in tiles.changed { markChanged(range) }
    let edge = old.edge - tiles.moved
    // In the last column there is no line, so that one may come or go as the edge moves with the window.
    if (edge, old.showsEdge) != (new.edge, new.showsEdge) || tiles.moved != 0 {
      markChanged(min(edge, new.edge)..<max(edge, new.edge) + 1)
    }
    let dots = new.background.appearance.glyphs.dots.columns
    for (old, new) in zip(old.lines, new.lines) {
      for column in new.differences(from: old, moved: tiles.moved * dots) { isChanged[column / dots] = true }
    }
    // Of what is drawn from several columns, some may be outside now.
    if tiles.moved != 0, new.background.marks != .dots {
      markChanged(0..<1)
      markChanged(all.upperBound - 1..<all.upperBound)
    }
    new.background.marks.spread(&isChanged, window: new.background.window)
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
