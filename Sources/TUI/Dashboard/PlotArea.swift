import ConstraintAnimation
import Measurement
import Store

/// What the plots show, and where. Only ``PlotArea`` changes it.
final class PlotContents {
  /// The first plot; `nil` while there is nothing to plot.
  fileprivate(set) var first: PlotContent?
  fileprivate(set) var second: PlotContent?
  /// How the quantiles of the two plots differ; `nil` with one plot.
  fileprivate(set) var differences: ComparisonFigures?
  fileprivate let view = PictureView(identifier: "plot")

  /// The first plot in cells of the window.
  var frame: CellRect { view.cellFrame }
}

/// One plot: owns its view, what was worked out for it, and what is kept from one frame to the next.
final class PlotPane {
  let view: PictureView
  /// `nil` while there is nothing to plot.
  private(set) var content: PlotContent?
  /// What is shown has changed since it was drawn.
  private(set) var isStale = false
  private var cache = PlotCache()
  private var statistics = StatisticsTiles()
  private var key: SceneKey?
  private let scene: (Int, Int) -> PlotScene?

  /// - Parameter scene: the plot for a width and a height in cells.
  init(_ view: PictureView, scene: @escaping (Int, Int) -> PlotScene?) {
    self.scene = scene
    self.view = view
    view.make = { [unowned self] width, height in
      var picture = CellPicture(width: width, height: height)
      self.cache.forgetPicture()
      _ = scene(width, height)?.redraw(&picture, &self.cache)
      return picture
    }
  }

  /// What has changed is drawn with the next frame.
  func invalidate() { isStale = true }

  /// Draws what has changed.
  func draw() {
    guard isStale else { return }
    isStale = false
    let size = view.cellFrame
    guard let scene = scene(size.width, size.height) else { return view.invalidate() }
    view.revise { scene.redraw(&$0, &cache) }
  }

  /// Works out the content for a snapshot.
  /// - Parameters:
  ///   - place: the window to show instead of the state's own.
  ///   - colors: as many as there are for the values of a key.
  ///   - isAlone: no other plot has the same axis.
  /// - Returns: whether quantiles or window are others than before.
  func refresh(
    _ snapshot: Snapshot, _ state: ViewState, columns: Int, place: TimeWindow? = nil, figures: WindowFigures?,
    colors: Int, beside: ValueColors? = nil, isAlone: Bool, at time: MotionTime
  ) -> Bool {
    let previous = content
    let fresh = PlotContent(
      snapshot: snapshot, state: state, columns: columns, place: place, previous: previous, figures: figures,
      colors: colors, beside: beside, &statistics, at: time)
    content = fresh
    let key = SceneKey(snapshot, state, fresh)
    let looksSame = key == self.key && previous?.looksSame(as: fresh) ?? false
    if !isAlone || !looksSame { invalidate() }
    self.key = key
    return previous?.summarizedAt != fresh.summarizedAt || previous?.window != fresh.window
      || previous?.isReading != fresh.isReading || previous?.figures != fresh.figures
  }

  /// Shows new figures of the same snapshot.
  /// - Returns: whether they differ from those before.
  func show(_ figures: WindowFigures?, of snapshot: Snapshot) -> Bool {
    guard content?.set(figures, in: snapshot) ?? false else { return false }
    invalidate()
    return true
  }

  func clear() { content = nil }
}

/// What a plot shows besides its content.
private struct SceneKey: Equatable {
  let state: ViewState
  let run: DisplayedRun?
  let targets: [DisplayedTarget]
  let axisMarks: AxisMarks
  let findings: [FindingRecord]
  /// The column of the newest edge where it is in the window, or just ahead of it.
  let edge: Int

  init(_ snapshot: Snapshot, _ state: ViewState, _ content: PlotContent) {
    self.state = state
    run = snapshot.run
    targets = snapshot.targets
    axisMarks = snapshot.axisMarks
    findings = snapshot.panels.findings
    edge = min(content.window.column(of: snapshot.edge), content.window.columns)
  }
}

/// The room of the plots: one plot, or two beside each other that share time scale and axis of latencies.
final class PlotArea {
  /// Where the plots are.
  let guide = LayoutGuide(identifier: "plots")
  private let first: PlotPane
  private let second: PlotPane
  private let contents: PlotContents
  private let gap: LayoutConstraint
  private let isAsWide: LayoutConstraint
  /// Columns of cells of the two when their content was worked out.
  private var refreshedWidths = [0, 0]

  init(_ model: ScreenModel) {
    contents = model.plots
    first = PlotPane(contents.view) { [unowned model] width, height in
      model.context.plot(model.state, width: width, height: height)
    }
    second = PlotPane(PictureView(identifier: "other plot")) { [unowned model] width, height in
      model.context.otherPlot(model.state, width: width, height: height)
    }
    gap = second.view.leadingAnchor.constraint(equalTo: first.view.trailingAnchor)
    isAsWide = second.view.widthAnchor.constraint(equalTo: first.view.widthAnchor).with(priority: .yielding)
  }

  // MARK: - Layout

  /// Puts the plots side by side. The second one has no width until it is asked to be as wide as the first.
  func install(in body: View) throws(LayoutError) {
    for view in [first.view, second.view] { body.addSubview(view) }
    body.addLayoutGuide(guide)
    try LayoutConstraint.activate([
      first.view.leadingAnchor.constraint(equalTo: guide.leadingAnchor),
      second.view.trailingAnchor.constraint(equalTo: guide.trailingAnchor), gap, isAsWide,
      second.view.widthAnchor.constraint(equalToConstant: 0).with(priority: 500),
    ])
    for view in [first.view, second.view] {
      try LayoutConstraint.activate([
        view.topAnchor.constraint(equalTo: guide.topAnchor),
        view.bottomAnchor.constraint(equalTo: guide.bottomAnchor),
      ])
    }
  }

  /// Gives the second plot room, or takes it away, in an animation.
  func setCompared(_ isCompared: Bool, in window: Window, completion: @escaping () -> Void) {
    guard (isAsWide.priority == .holding) != isCompared else { return }
    window.animate(withDuration: .milliseconds(300), curve: .easeInOut, options: .layoutFirst) {
      isAsWide.priority = isCompared ? .holding : .yielding
      gap.constant = isCompared ? 1 : 0
      window.layoutIfNeeded()
    } completion: { _ in
      completion()
    }
  }

  /// A plot has had another width when its content was worked out. In an animation the two need not change theirs in the same
  /// frame, because each edge is rounded by itself.
  var isResized: Bool { widths != refreshedWidths }

  private var widths: [Int] { [first, second].map { $0.view.cellFrame.width } }

  /// The second plot, for the frame around the plots.
  var secondView: View { second.view }

  // MARK: - Content

  /// When quantiles are to be taken again; `nil` when they are fresh.
  var summaryDue: MotionTime? {
    [contents.first?.summaryDue, contents.second?.summaryDue].compactMap { $0 }.min()
  }

  /// Works out both plots.
  /// - Returns: whether the histogram has to be drawn again.
  func refresh(_ state: ViewState, in context: ScreenContext, at time: MotionTime) -> Bool {
    refreshedWidths = widths
    let columns = context.panes(state).columns
    guard columns > 0 else { return false }
    var isNew = first.refresh(
      context.shown, state.first, columns: columns, figures: context.figures.own,
      colors: context.appearance.theme.targets.count, isAlone: state.comparison == nil, at: time)
    contents.first = first.content
    if refreshSecond(state, in: context, at: time) { isNew = true }
    publish(isNew)
    return isNew
  }

  /// Shows new figures of the same snapshot.
  /// - Returns: whether the histogram has to be drawn again.
  func show(
    _ figures: DisplayedFigures, _ state: ViewState, in context: ScreenContext
  ) -> Bool {
    var isNew = first.show(figures.own, of: context.shown)
    if let (snapshot, _) = state.second(beside: context.shown, other: context.other) {
      let isOtherRun = snapshot.run?.id != context.shown.run?.id
      if second.show(isOtherRun ? figures.other : figures.own, of: snapshot) { isNew = true }
    }
    publish(isNew)
    return isNew
  }

  /// - Parameter isNew: the two have to be compared again.
  private func publish(_ isNew: Bool) {
    (contents.first, contents.second) = (first.content, second.content)
    guard isNew else { return }
    contents.differences = first.content.flatMap { first in
      second.content.map { ComparisonFigures(first, $0) }
    }
  }

  /// The second plot shows the same stretch of time at the same scale; of another run, the stretch at the same distance
  /// from its start.
  private func refreshSecond(_ state: ViewState, in context: ScreenContext, at time: MotionTime) -> Bool {
    let size = second.view.cellFrame
    let columns = context.panes(state, width: size.width, height: size.height).columns
    // While it slides in it has no room yet.
    guard let content = first.content,
      let (snapshot, state) = state.second(beside: context.shown, other: context.other),
      size.width > ScatterGeometry.gutter, columns > 0
    else {
      second.clear()
      return false
    }
    let scale = content.window.scale
    var place = TimeWindow(scale: scale, firstColumn: content.window.firstColumn, columns: columns)
    if let start = context.shown.run?.startedAt, let otherStart = snapshot.run?.startedAt {
      let shift = (otherStart - start).microseconds.flooringDivision(by: scale.columnMicroseconds)
      place = place.moved(byColumns: Int(shift))
    }
    var secondState = state
    secondState.metric = content.facts.metric
    let isOtherRun = snapshot.run?.id != context.shown.run?.id
    return second.refresh(
      snapshot, secondState, columns: columns, place: place,
      figures: isOtherRun ? context.figures.other : context.figures.own,
      colors: context.appearance.theme.targets.count, beside: content.valueColors, isAlone: false, at: time)
  }

  func clear() {
    first.clear()
    second.clear()
    (contents.first, contents.second, contents.differences) = (nil, nil, nil)
  }

  /// Draws crosshair and box anew.
  func invalidatePointer() { first.invalidate() }

  func invalidate() {
    first.invalidate()
    second.invalidate()
  }

  /// Something is to be drawn.
  var isStale: Bool { first.isStale || second.isStale }

  /// Draws what has changed.
  func draw() {
    first.draw()
    second.draw()
  }
}
