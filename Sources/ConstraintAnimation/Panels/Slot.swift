/// A place in the endless plane of pages around a host, in whole pages; (0, 0) is what shows.
struct Slot: Hashable, Sendable {
  var x: Int
  var y: Int

  static let center = Slot(x: 0, y: 0)

  static func + (left: Slot, right: Slot) -> Slot { Slot(x: left.x + right.x, y: left.y + right.y) }
  static func - (left: Slot, right: Slot) -> Slot { Slot(x: left.x - right.x, y: left.y - right.y) }
}
