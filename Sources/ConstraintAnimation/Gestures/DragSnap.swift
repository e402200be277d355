/// Rules for a dragged page: how far it follows the pointer, and on which page it comes to rest.
///
/// Pure arithmetic in cells along one axis. The numbers are 400 points a second and 20 points, at 8 points a column.
public struct DragSnap: Sendable, Hashable {
  /// Faster than this is a swipe, whatever its length. Exactly this is not.
  public var fastSpeed: Double
  /// Cells that each event of a swipe moves the page by.
  public var fastStep: Double
  /// The part of a page that must have been gone for a slow drag to count. Exactly this is not enough.
  public var distance: Double
  /// How far beyond the first and the last page a drag goes, in parts of a page.
  public var overrun: Double

  public init(
    fastSpeed: Double = 50, fastStep: Double = 2.5, distance: Double = 0.5, overrun: Double = 0.5
  ) {
    self.fastSpeed = fastSpeed
    self.fastStep = fastStep
    self.distance = distance
    self.overrun = overrun
  }

  public func isFast(_ velocity: Double) -> Bool { abs(velocity) > fastSpeed }

  /// How far an event that moved the pointer by `delta` moves the page.
  public func step(delta: Double, velocity: Double) -> Double {
    guard isFast(velocity) else { return delta }
    return velocity < 0 ? -fastStep : fastStep
  }

  /// The page to come to rest on.
  /// - Parameters:
  ///   - page: the one it rested on before.
  ///   - count: of pages.
  ///   - offset: how far that page is from its resting place; negative = to the left.
  ///   - velocity: of the pointer when it let go, cells a second.
  ///   - length: of one page.
  public func target(page: Int, count: Int, offset: Double, velocity: Double, length: Double) -> Int {
    let step: Int
    if isFast(velocity) {
      step = velocity < 0 ? 1 : -1
    } else if abs(offset) > length * distance {
      step = offset < 0 ? 1 : -1
    } else {
      step = 0
    }
    let target = page + step
    return target >= 0 && target < count ? target : page
  }

  /// Keeps a container's displacement within the pages and the overrun. Page 0 rests at 0, page i at `-i × length`.
  public func clamp(_ displacement: Double, count: Int, length: Double) -> Double {
    min(max(displacement, -Double(max(count, 1) - 1) * length - overrun * length), overrun * length)
  }
}
