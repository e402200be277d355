import ConstraintAnimation

enum Panel: Int, CaseIterable {
  case histogram, log, events
}

/// A line of text.
final class Label: View {
  let text: String

  init(_ text: String) {
    self.text = text
    super.init()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    canvas.write(text, x: rect.x0, y: rect.y0, style: .plain)
  }
}

/// A plot above three panels of lines: 60 views with 18 lines each, all held by constraints.
struct Dashboard {
  let window: Window
  let manager = LowerViewManager<Panel>(active: .histogram)
  let host = View()

  init(columns: Double, rows: Double, lines: Int) throws {
    window = Window(size: Size(width: columns, height: rows))
    let root = window.root
    let plot = Label("plot")
    plot.backgroundColor = Color(10, 10, 20)
    root.addSubview(plot)
    root.addSubview(host)
    var constraints = [
      plot.leadingAnchor.constraint(equalTo: root.leadingAnchor),
      plot.trailingAnchor.constraint(equalTo: root.trailingAnchor),
      plot.topAnchor.constraint(equalTo: root.topAnchor),
      plot.heightAnchor.constraint(equalTo: root.heightAnchor, multiplier: 0.5),
      host.leadingAnchor.constraint(equalTo: root.leadingAnchor),
      host.trailingAnchor.constraint(equalTo: root.trailingAnchor),
      host.topAnchor.constraint(equalTo: plot.bottomAnchor),
      host.bottomAnchor.constraint(equalTo: root.bottomAnchor),
    ]
    var pages: [View] = []
    for kind in Panel.allCases {
      let page = View()
      page.tag = kind.rawValue
      page.backgroundColor = Color(20, 20, UInt8(40 * kind.rawValue))
      host.addSubview(page)
      constraints += page.pinned(to: host)
      var above: View?
      for line in 0..<lines {
        let label = Label("\(kind) line \(line): 812 ms accepted")
        page.addSubview(label)
        constraints += [
          label.leadingAnchor.constraint(equalTo: page.leadingAnchor, constant: 2),
          label.trailingAnchor.constraint(equalTo: page.trailingAnchor, constant: -2),
          label.topAnchor.constraint(equalTo: above?.bottomAnchor ?? page.topAnchor),
          label.heightAnchor.constraint(equalToConstant: 1),
        ]
        above = label
      }
      pages.append(page)
    }
    try LayoutConstraint.activate(constraints)
    for page in pages { try manager.add(view: page, button: root) }
    window.advance(to: .zero)
  }
}
