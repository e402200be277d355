import ConstraintAnimation
import ConstraintAnimationTestKit

enum Panel: Int, CaseIterable {
  case histogram, log, events
}

/// A view that fills itself with one glyph and counts its columns, so that what shows of it can be read.
final class GlyphView: View {
  let glyph: Unicode.Scalar

  init(_ name: String, glyph: Unicode.Scalar) {
    self.glyph = glyph
    super.init()
    identifier = name
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    canvas.fill(rect, glyph: glyph, style: .plain)
  }
}

/// The dashboard in small: a plot in the upper half, three pages in the lower one, three buttons on top.
struct PanelScene {
  let window: Window
  let plot = GlyphView("plot", glyph: "*")
  let guide = LayoutGuide(identifier: "lower half")
  let host = View(identifier: "host")
  let pages: [GlyphView] = [
    GlyphView("histogram", glyph: "h"), GlyphView("log", glyph: "l"), GlyphView("events", glyph: "e"),
  ]
  let buttons = [View(identifier: "1"), View(identifier: "2"), View(identifier: "3")]
  let manager: LowerViewManager<Panel>

  /// - Parameter hostFirst: writes trailing and bottom constraints with the host as first item, as interface
  ///   builders do.
  init(
    columns: Double = 80, rows: Double = 24, hostFirst: Bool = false, active: Panel = .histogram,
    style: PagedTransition = PagedTransition(), motion: MotionLevel = .full
  ) throws {
    window = Window(size: Size(width: columns, height: rows), motion: motion)
    manager = LowerViewManager(style: style, active: active)
    let root = window.root
    root.addSubview(plot)
    root.addSubview(host)
    root.addLayoutGuide(guide)
    var constraints = [
      plot.leadingAnchor.constraint(equalTo: root.leadingAnchor),
      plot.trailingAnchor.constraint(equalTo: root.trailingAnchor),
      plot.topAnchor.constraint(equalTo: root.topAnchor, constant: 1),
      plot.bottomAnchor.constraint(equalTo: guide.topAnchor),
      guide.leadingAnchor.constraint(equalTo: root.leadingAnchor),
      guide.trailingAnchor.constraint(equalTo: root.trailingAnchor),
      guide.bottomAnchor.constraint(equalTo: root.bottomAnchor),
      guide.heightAnchor.constraint(equalTo: plot.heightAnchor),
    ]
    constraints += host.pinned(to: guide)
    for (index, page) in pages.enumerated() {
      page.tag = index
      host.addSubview(page)
      constraints += [
        page.leadingAnchor.constraint(equalTo: host.leadingAnchor),
        page.topAnchor.constraint(equalTo: host.topAnchor),
      ]
      constraints +=
        hostFirst
        ? [
          host.trailingAnchor.constraint(equalTo: page.trailingAnchor),
          host.bottomAnchor.constraint(equalTo: page.bottomAnchor),
        ]
        : [
          page.trailingAnchor.constraint(equalTo: host.trailingAnchor),
          page.bottomAnchor.constraint(equalTo: host.bottomAnchor),
        ]
    }
    for (index, button) in buttons.enumerated() {
      root.addSubview(button)
      constraints += [
        button.topAnchor.constraint(equalTo: root.topAnchor),
        button.heightAnchor.constraint(equalToConstant: 1),
        button.widthAnchor.constraint(equalToConstant: 6),
        button.trailingAnchor.constraint(equalTo: root.trailingAnchor, constant: Double(index - 2) * 6),
      ]
    }
    try LayoutConstraint.activate(constraints)
    for (page, button) in zip(pages, buttons) { try manager.add(view: page, button: button) }
    window.advance(to: .zero)
  }

  func page(_ panel: Panel) -> GlyphView { pages[panel.rawValue] }

  /// What the window looks like now.
  func draw() -> TextCanvas {
    let canvas = TextCanvas(columns: Int(window.size.width), rows: Int(window.size.height))
    window.draw(on: canvas)
    return canvas
  }
}
