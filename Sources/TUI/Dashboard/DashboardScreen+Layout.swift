import ConstraintAnimation

extension DashboardScreen {
  /// Puts the views together: a header, the plot in the upper half, the host of the panels in the lower half, a
  /// footer, and what lies on top of all.
  func build() throws(LayoutError) {
    let root = window.root
    let frame = FrameView(appearance: { [unowned self] in self.appearance })
    frame.divider = host
    for view in [body, notice, sheet, help] as [View] { root.addSubview(view) }
    for view in [frame, header, plot, host, footer] as [View] { body.addSubview(view) }
    try LayoutConstraint.activate(body.pinned(to: root) + notice.pinned(to: root))
    try LayoutConstraint.activate([
      header.topAnchor.constraint(equalTo: body.topAnchor),
      header.heightAnchor.constraint(equalToConstant: 1),
      header.leadingAnchor.constraint(equalTo: body.leadingAnchor),

      frame.leadingAnchor.constraint(equalTo: body.leadingAnchor),
      frame.trailingAnchor.constraint(equalTo: body.trailingAnchor),
      frame.topAnchor.constraint(equalTo: header.bottomAnchor),
      frame.bottomAnchor.constraint(equalTo: body.bottomAnchor),

      plot.topAnchor.constraint(equalTo: header.bottomAnchor),
      host.topAnchor.constraint(equalTo: plot.bottomAnchor),
      footer.topAnchor.constraint(equalTo: host.bottomAnchor),
      footer.bottomAnchor.constraint(equalTo: body.bottomAnchor),
      footer.heightAnchor.constraint(equalToConstant: 1),
      plot.heightAnchor.constraint(equalTo: host.heightAnchor),
    ])
    for view in [plot, host, footer] as [View] {
      try LayoutConstraint.activate([
        view.leadingAnchor.constraint(equalTo: frame.leadingAnchor, constant: 1),
        view.trailingAnchor.constraint(equalTo: frame.trailingAnchor, constant: -1),
      ])
    }
    try buildTabs()
    try buildPages()
    try buildSheet()
    try buildHelp()
    window.layoutIfNeeded()
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

  /// Tells each view where its cells come from.
  func connect() {
    header.make = { [unowned self] in self.headerPicture(width: $0, height: $1) }
    plot.make = { [unowned self] in self.plotPicture(width: $0, height: $1) }
    footer.make = { [unowned self] width, _ in
      FooterModel(keys: self.keys, cost: self.cost, note: self.note, appearance: self.appearance)
        .picture(width: width)
    }
    help.make = { [unowned self] in
      self.helpModel.picture(width: $0, height: $1)
    }
    pages[.histogram]?.make = { [unowned self] in self.histogramPicture(width: $0, height: $1) }
    pages[.log]?.make = { [unowned self] in
      LogModel(
        entries: self.shown.log, position: self.state.logPosition, marks: self.selectionMarks,
        chosen: self.state.plot.chosenLogLine, appearance: self.appearance, zone: self.zone
      ).list(width: $0, height: $1).picture()
    }
    pages[.events]?.make = { [unowned self] in
      EventsModel(
        entries: self.shown.events, targets: self.shown.targets, position: self.state.eventPosition,
        marks: self.selectionMarks, chosen: self.state.plot.chosenEvent, appearance: self.appearance,
        zone: self.zone
      ).list(width: $0, height: $1).picture()
    }
  }

  var helpModel: HelpModel {
    HelpModel(keys: keys, appearance: appearance, firstLine: state.helpLine)
  }

  private func headerPicture(width: Int, height: Int) -> CellPicture {
    let targets = state.shownTargets(in: shown)
    let news = latest.totals.reduce(0) { $0 + $1.due } - shown.totals.reduce(0) { $0 + $1.due }
    return HeaderModel(
      snapshot: shown, shown: targets, isFrozen: state.isFrozen,
      follows: state.anchor == .edge, newSinceFrozen: max(0, news),
      rates: RateHistory(snapshot: shown, targets: targets), appearance: appearance, zone: zone
    ).picture(width: width)
  }
}
