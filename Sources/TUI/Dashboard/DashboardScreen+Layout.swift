import ConstraintAnimation

extension DashboardScreen {
  /// Puts the views together: a header, the plot in the upper half, the host of the panels in the lower half, a
  /// footer, and what lies on top of all.
  func build() throws(LayoutError) {
    let root = window.root
    let frame = FrameView(appearance: { [unowned self] in self.appearance })
    frame.panel = host
    frame.second = otherPlot
    for view in [body, notice, sheet, help] as [View] { root.addSubview(view) }
    for view in [frame, header, plot, otherPlot, host, footer] as [View] { body.addSubview(view) }
    body.addLayoutGuide(plots)
    try LayoutConstraint.activate(body.pinned(to: root) + notice.pinned(to: root))
    try LayoutConstraint.activate([
      header.topAnchor.constraint(equalTo: body.topAnchor),
      header.heightAnchor.constraint(equalToConstant: 1),
      header.leadingAnchor.constraint(equalTo: body.leadingAnchor),

      frame.leadingAnchor.constraint(equalTo: body.leadingAnchor),
      frame.trailingAnchor.constraint(equalTo: body.trailingAnchor),
      frame.topAnchor.constraint(equalTo: header.bottomAnchor),
      frame.bottomAnchor.constraint(equalTo: body.bottomAnchor),

      footer.bottomAnchor.constraint(equalTo: body.bottomAnchor),
      footer.heightAnchor.constraint(equalToConstant: 1),
      footer.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
      footer.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
    ])
    try buildHalves(in: frame)
    try buildPlots()
    try buildTabs()
    try buildPages()
    followSlides()
    try buildHelp()
    try buildSheet()
    window.layoutIfNeeded()
  }

  /// Plot and panel, one above the other or side by side: both ways are laid down, and the priorities say which one
  /// holds.
  private func buildHalves(in frame: View) throws(LayoutError) {
    try LayoutConstraint.activate([
      plots.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
      plots.topAnchor.constraint(equalTo: header.bottomAnchor),
      host.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
      host.bottomAnchor.constraint(equalTo: footer.topAnchor),
    ])
    halves[.below] = [
      plots.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
      host.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
      host.topAnchor.constraint(equalTo: plots.bottomAnchor),
      plots.heightAnchor.constraint(equalTo: host.heightAnchor),
    ]
    halves[.beside] = [
      plots.bottomAnchor.constraint(equalTo: footer.topAnchor),
      host.topAnchor.constraint(equalTo: header.bottomAnchor),
      host.leadingAnchor.constraint(equalTo: plots.trailingAnchor, constant: 1),
      plots.widthAnchor.constraint(equalTo: host.widthAnchor, multiplier: 1.3),
    ]
    for (way, constraints) in halves {
      for constraint in constraints { constraint.priority = way == arrangement ? .holding : .yielding }
      try LayoutConstraint.activate(constraints)
    }
  }

  /// Two plots side by side. The second one has no width until it is asked to be as wide as the first.
  private func buildPlots() throws(LayoutError) {
    let gap = otherPlot.leadingAnchor.constraint(equalTo: plot.trailingAnchor)
    let isAsWide = otherPlot.widthAnchor.constraint(equalTo: plot.widthAnchor).with(priority: .yielding)
    squeeze = (gap, isAsWide)
    try LayoutConstraint.activate([
      plot.leadingAnchor.constraint(equalTo: plots.leadingAnchor),
      otherPlot.trailingAnchor.constraint(equalTo: plots.trailingAnchor), gap, isAsWide,
      otherPlot.widthAnchor.constraint(equalToConstant: 0).with(priority: 500),
    ])
    for view in [plot, otherPlot] {
      try LayoutConstraint.activate([
        view.topAnchor.constraint(equalTo: plots.topAnchor),
        view.bottomAnchor.constraint(equalTo: plots.bottomAnchor),
      ])
    }
  }

  /// Right-aligned in the header's row, in the order of their numbers.
  private func buildTabs() throws(LayoutError) {
    var right: (LayoutAnchor<XAxis>, Double) = (body.trailingAnchor, -1)
    for panel in Panel.allCases.reversed() {
      guard let tab = tabs[panel] else { continue }
      body.addSubview(tab)
      try LayoutConstraint.activate([
        tab.topAnchor.constraint(equalTo: body.topAnchor),
        tab.trailingAnchor.constraint(equalTo: right.0, constant: right.1),
      ])
      right = (tab.leadingAnchor, 0)
    }
    try LayoutConstraint.activate([header.trailingAnchor.constraint(equalTo: right.0, constant: 0)])
  }

  /// Each page fills the host; the manager moves all but one out of it.
  private func buildPages() throws(LayoutError) {
    for panel in Panel.allCases {
      guard let page = pages[panel], let tab = tabs[panel] else { continue }
      page.tag = panel.rawValue
      host.addSubview(page)
      try LayoutConstraint.activate(page.pinned(to: host))
      do throws(LowerView.Failure) {
        try panels.add(view: page, button: tab)
      } catch {
        throw LayoutError.noCommonAncestor("\(page.identifier ?? "page"): \(error)")
      }
    }
  }

  private func buildHelp() throws(LayoutError) {
    helpSize = [
      help.widthAnchor.constraint(equalToConstant: 0), help.heightAnchor.constraint(equalToConstant: 0),
    ]
    try LayoutConstraint.activate(
      helpSize + [
        help.centerXAnchor.constraint(equalTo: window.root.centerXAnchor),
        help.centerYAnchor.constraint(equalTo: window.root.centerYAnchor),
      ])
    help.isHidden = true
    help.alpha = 0
  }

  private func buildSheet() throws(LayoutError) {
    sheetSize = [
      sheet.widthAnchor.constraint(equalToConstant: 0),
      sheet.heightAnchor.constraint(equalToConstant: 0),
    ]
    try LayoutConstraint.activate(
      sheetSize + [
        sheet.centerXAnchor.constraint(equalTo: window.root.centerXAnchor),
        sheet.centerYAnchor.constraint(equalTo: window.root.centerYAnchor),
      ])
    sheet.isHidden = true
  }

  /// Tells each view where its cells come from.
  func connect() {
    header.make = { [unowned self] in self.headerPicture(width: $0, height: $1) }
    plot.make = { [unowned self] in self.firstPlotPicture(width: $0, height: $1) }
    otherPlot.make = { [unowned self] in self.secondPlotPicture(width: $0, height: $1) }
    footer.make = { [unowned self] width, _ in
      FooterModel(
        keys: self.keys, cost: self.cost, message: self.message,
        isCovered: self.state.overlay != nil || self.state.showsHelp, appearance: self.appearance
      ).picture(width: width)
    }
    sheet.make = { [unowned self] in self.overlayPicture(width: $0, height: $1) }
    help.make = { [unowned self] in
      self.helpModel.picture(width: $0, height: $1)
    }
    pages[.histogram]?.make = { [unowned self] in self.histogramPicture(width: $0, height: $1) }
    pages[.log]?.make = { [unowned self] in
      LogModel(
        entries: self.listed.log, extent: self.listed.logExtent, position: self.state.logPosition,
        filter: self.state.filter,
        marks: self.selectionMarks,
        chosen: self.state.plot.chosenLogLine, appearance: self.appearance, zone: self.zone
      ).list(width: $0, height: $1).picture()
    }
    pages[.events]?.make = { [unowned self] in
      EventsModel(
        entries: self.listed.events, targets: self.shown.targets, extent: self.listed.eventExtent,
        position: self.state.eventPosition,
        filter: self.state.filter,
        marks: self.selectionMarks, chosen: self.state.plot.chosenEvent, appearance: self.appearance,
        zone: self.zone
      ).list(width: $0, height: $1).picture()
    }
  }

  /// The list of runs.
  func connectRuns() {
    pages[.runs]?.make = { [unowned self] in
      RunsModel(
        runs: self.latest.runs, position: self.state.runs, shown: self.shown.run?.id, now: self.latest.now,
        appearance: self.appearance, zone: self.zone
      ).list(width: $0, height: $1).picture()
    }
    pages[.runs]?.addGestureRecognizer(
      TapGestureRecognizer { [weak self] recognizer in
        self?.tapRun(row: Int(recognizer.location(in: self?.pages[.runs]).y))
      })
  }

  var helpModel: HelpModel {
    HelpModel(keys: keys, appearance: appearance, firstLine: state.helpLine)
  }

  private func headerPicture(width: Int, height: Int) -> CellPicture {
    let targets = state.shownTargets(in: shown)
    var snapshot = shown
    (snapshot.recording, snapshot.collector) = (latest.recording, latest.collector)
    let news = latest.totals.reduce(0) { $0 + $1.due } - shown.totals.reduce(0) { $0 + $1.due }
    return HeaderModel(
      snapshot: snapshot, shown: targets, isFrozen: state.isFrozen,
      follows: state.anchor == .edge, newSinceFrozen: max(0, news), replay: state.replay,
      rates: RateHistory(snapshot: shown, targets: targets), appearance: appearance, zone: zone
    ).picture(width: width)
  }
}
