/// A chart as HTML: shapes in SVG that stretch with the page, labels in HTML that keep their size, so that the same file
/// reads well on a phone, on a screen and on paper. No scripts, no resources.
///
/// Positions are fractions of the plot: 0 is the left and the lower edge, 1 the right and the upper one. Styles are names of
/// classes, for which the page has the colors.
public struct Chart: Sendable {
  /// A place in the plot.
  public struct Point: Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A point that says what it is.
  public struct NamedPoint: Sendable {
    public var point: Point
    /// Untrusted.
    public var name: String

    public init(_ point: Point, name: String) {
      self.point = point
      self.name = name
    }
  }

  /// A rectangle.
  public struct Box: Sendable {
    public var x: ClosedRange<Double>
    public var y: ClosedRange<Double>

    public init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
      self.x = x
      self.y = y
    }
  }

  /// What a layer draws.
  public enum Shape: Sendable {
    /// Lines through points, a piece each.
    case lines([[Point]])
    /// Areas between a lower and an upper edge with points at the same places, a piece each.
    case areas([(lower: [Point], upper: [Point])])
    case boxes([Box])
    /// Round dots of the same size at any size of the chart.
    case dots([Point])
    /// Dots with a name each; every one is an element.
    case namedDots([NamedPoint])
    /// Vertical lines over the whole height.
    case verticals([Double])
  }

  /// A shape and the class that has its colors. Later layers cover earlier ones.
  public struct Layer: Sendable {
    public var style: String
    public var shape: Shape

    public init(_ style: String, _ shape: Shape) {
      self.style = style
      self.shape = shape
    }
  }

  /// A label beside an axis.
  public struct Tick: Sendable {
    public var position: Double
    public var label: String

    public init(_ position: Double, _ label: String) {
      self.position = position
      self.label = label
    }

    fileprivate enum Side {
      case first, middle, last
    }

    /// The side of its position on which the label stands: those at the edges do not reach over them.
    fileprivate var side: Side { position < 0.04 ? .first : position > 0.96 ? .last : .middle }
  }

  /// A sentence that says what the chart shows, for those who cannot see it.
  public var label: String
  public var description: String
  /// Height of the plot in units of the text's size.
  public var height: Double
  public var xTicks: [Tick]
  public var yTicks: [Tick]
  /// Labels above the plot, without lines.
  public var topTicks: [Tick] = []
  /// The layers from the back to the front.
  public var layers: [Layer]

  public init(
    label: String, description: String, height: Double, xTicks: [Tick], yTicks: [Tick], layers: [Layer]
  ) {
    self.label = label
    self.description = description
    self.height = height
    self.xTicks = xTicks
    self.yTicks = yTicks
    self.layers = layers
  }
}

extension Chart {
  /// Width and height of the SVG's coordinates.
  private static let size = 1000.0

  public var markup: Markup {
    let grid = yTicks.map { Markup.gridLine(vertical: false, $0.position) }
    let stems = xTicks.map { Markup.gridLine(vertical: true, $0.position) }
    return """
      <div class="plot" style="--h:\(height)em">
      \(topLabels)<div class="ys" aria-hidden="true">\(yTicks.map { Self.label($0, edge: "bottom", isMinor: false) })</div>
      <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="\(label)">
      <desc>\(description)</desc>
      <path class="grid" d="\(grid + stems)"/>
      \(layers.map(\.markup))</svg>
      <div class="xs" aria-hidden="true">\(Self.row(xTicks))</div>
      </div>

      """
  }

  private var topLabels: Markup {
    topTicks.isEmpty
      ? "" : "<div class=\"ts\" aria-hidden=\"true\">\(Self.row(topTicks))</div>\n"
  }

  /// Width of the plot on a screen or on paper, and on a phone of 320 points, in units of the text's size.
  private static let width = 60.0
  private static let narrowWidth = 20.0
  /// The width of a character, the least space between two labels, and how far a label may reach over the right edge,
  /// in the same units: beyond the margin of the page it would have to be scrolled to.
  private static let characterWidth = 0.62
  private static let space = 0.8
  private static let overhang = 1.2

  /// Labels beside one another, without those that would touch their neighbor or reach over the page; those that do so on a
  /// phone are minor, which are left out there.
  private static func row(_ ticks: [Tick]) -> [Markup] {
    let labels = fitting(ticks, in: width)
    let major = Set(fitting(labels, in: narrowWidth).map(\.position))
    return labels.map { label($0, edge: "left", isMinor: !major.contains($0.position)) }
  }

  /// The labels that have room, from the left.
  private static func fitting(_ ticks: [Tick], in width: Double) -> [Tick] {
    var end = -Double.infinity
    return ticks.sorted { $0.position < $1.position }.filter { tick in
      let length = Double(tick.label.count) * characterWidth / width
      let start =
        switch tick.side {
        case .first: tick.position
        case .middle: tick.position - length / 2
        case .last: tick.position - length
        }
      guard start >= end, start + length <= 1 + overhang / width else { return false }
      end = start + length + space / width
      return true
    }
  }

  private static func label(_ tick: Tick, edge: String, isMinor: Bool) -> Markup {
    let side: Markup = tick.side == .first ? " first" : tick.side == .last ? " last" : ""
    let minor: Markup = isMinor ? " minor" : ""
    return """
      <span class="tick\(side)\(minor)" style="\(edge):\(tick.position * 100)%">\(tick.label)</span>
      """
  }
}

extension Markup {
  /// A line across the plot at a position, as part of a path.
  fileprivate static func gridLine(vertical: Bool, _ position: Double) -> Markup {
    vertical ? "M\(position * 1000) 0v1000" : "M0 \((1 - position) * 1000)h1000"
  }
}

extension Chart.Layer {
  fileprivate var markup: Markup {
    if case .namedDots(let dots) = shape {
      return """
        <g class="\(style) named">\(dots.map { dot -> Markup in
          "<path d=\"\(Chart.Shape.dot(dot.point))\"><title>\(dot.name)</title></path>\n"
        })</g>

        """
    }
    return "<path class=\"\(style)\" d=\"\(shape.path)\"/>\n"
  }
}

extension Chart.Shape {
  fileprivate var path: String {
    switch self {
    case .lines(let lines): lines.map { Self.line($0, "M") }.joined()
    case .areas(let areas):
      areas.map { Self.line($0.lower, "M") + Self.line($0.upper.reversed(), "L") + "z" }.joined()
    case .boxes(let boxes): boxes.map(Self.box).joined()
    case .dots(let points): points.map(Self.dot).joined()
    case .namedDots(let dots): dots.map { Self.dot($0.point) }.joined()
    case .verticals(let positions): positions.map { "M\(Self.x($0)) 0v1000" }.joined()
    }
  }

  /// A line of no length, which round caps make a dot.
  fileprivate static func dot(_ point: Chart.Point) -> String { "M\(x(point.x)) \(y(point.y))h0" }

  private static func line(_ points: [Chart.Point], _ first: String) -> String {
    points.enumerated().map { "\($0.offset == 0 ? first : "L")\(x($0.element.x)) \(y($0.element.y))" }
      .joined()
  }

  private static func box(_ box: Chart.Box) -> String {
    let width = MarkupNumber.text((box.x.upperBound - box.x.lowerBound) * 1000)
    let height = MarkupNumber.text((box.y.upperBound - box.y.lowerBound) * 1000)
    return "M\(x(box.x.lowerBound)) \(y(box.y.upperBound))h\(width)v\(height)h-\(width)z"
  }

  private static func x(_ position: Double) -> String { MarkupNumber.text(position * 1000) }
  private static func y(_ position: Double) -> String { MarkupNumber.text((1 - position) * 1000) }
}
