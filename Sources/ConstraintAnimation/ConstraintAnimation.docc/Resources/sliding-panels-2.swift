import ConstraintAnimation

enum Panel: Int, CaseIterable {
  case histogram, log, events
}

struct Dashboard {
  let window: Window
  let plot = View(identifier: "plot")
  let host = View(identifier: "host")

  init(size: Size) throws {
    window = Window(size: size)
    let root = window.root
    let lowerHalf = LayoutGuide(identifier: "lower half")
    root.addLayoutGuide(lowerHalf)
    root.addSubview(plot)
    root.addSubview(host)
    try LayoutConstraint.activate(
      host.pinned(to: lowerHalf) + [
        plot.leadingAnchor.constraint(equalTo: root.leadingAnchor),
        plot.trailingAnchor.constraint(equalTo: root.trailingAnchor),
        plot.topAnchor.constraint(equalTo: root.topAnchor, constant: 1),
        plot.bottomAnchor.constraint(equalTo: lowerHalf.topAnchor),
        lowerHalf.leadingAnchor.constraint(equalTo: root.leadingAnchor),
        lowerHalf.trailingAnchor.constraint(equalTo: root.trailingAnchor),
        lowerHalf.bottomAnchor.constraint(equalTo: root.bottomAnchor),
        lowerHalf.heightAnchor.constraint(equalTo: plot.heightAnchor),
      ])
    window.advance(to: .zero)
  }
}
