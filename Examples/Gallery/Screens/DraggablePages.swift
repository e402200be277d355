import ConstraintAnimation

/// Two pages side by side in a container that is dragged behind a clipping host.
final class DraggablePages: Screen {
  static let card = Card(
    name: "pages", title: "Draggable pages",
    look: "The page follows the pointer; let go, it snaps by distance or by speed.",
    sources: ["S2"])

  let host = View(identifier: "host")
  let container = View(identifier: "container")
  let pager: PagerController
  let pan: PanGestureRecognizer

  init(on stage: Stage) throws {
    let palette = stage.palette
    let advanced = Tile("advanced", palette.violet, palette)
    let basic = Tile("basic", palette.teal, palette)
    advanced.caption =
      "drag me to the left\n\nslowly: more than half a page counts\nfast: any distance counts"
    basic.caption =
      "drag me to the right\n\ncaught while it snaps, a page stays\nunder the pointer where it is"

    stage.view.addSubview(host)
    host.addSubview(container)
    container.addSubview(advanced)
    container.addSubview(basic)
    try LayoutConstraint.activate(
      host.pinned(to: stage.view) + container.pinned(to: host) + [
        advanced.leadingAnchor.constraint(equalTo: container.leadingAnchor),
        basic.leadingAnchor.constraint(equalTo: advanced.trailingAnchor),
        basic.trailingAnchor.constraint(equalTo: container.trailingAnchor),
        basic.widthAnchor.constraint(equalTo: advanced.widthAnchor),
        advanced.topAnchor.constraint(equalTo: container.topAnchor),
        advanced.bottomAnchor.constraint(equalTo: container.bottomAnchor),
        basic.topAnchor.constraint(equalTo: container.topAnchor),
        basic.bottomAnchor.constraint(equalTo: container.bottomAnchor),
      ])

    // The controller finds the container's leading and trailing constraint by itself and makes it two hosts wide.
    pager = try PagerController(container: container, pageCount: 2)
    pan = pager.makePanGestureRecognizer()
    container.addGestureRecognizer(pan)
    stage.window.firstResponder = container
  }

  var controls: [Control] {
    [
      Control(hint: "drag", "or"),
      Control(hint: "shift ← →", "drag by keys"),
      Control(.left, "advanced") { [weak self] in self?.pager.show(page: 0, animated: true) },
      Control(.right, "basic") { [weak self] in self?.pager.show(page: 1, animated: true) },
      Control(.character("w"), "wide") { [weak self] in
        guard let self else { return }
        // Where both pages are said to fit, there is nothing to drag.
        pager.minimumPageWidth = pager.minimumPageWidth == nil ? 20 : nil
      },
    ]
  }

  var status: String {
    let speed = Int(pan.velocity(in: host).dx.rounded())
    let moved = container.cellFrame.x0 - host.cellFrame.x0
    let speedText =
      pager.isDragging ? " · \(abs(speed)) columns/s\(pager.snap.isFast(Double(speed)) ? ", fast" : "")" : ""
    let wide = pager.minimumPageWidth == nil ? "" : " · both pages fit: drags are ignored"
    return "page \(pager.page + 1) · container at \(moved)\(speedText)\(wide)"
  }
}
