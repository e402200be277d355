import ConstraintAnimation
import Measurement
import Store

/// What lies on top of the dashboard and takes the keys: a value that knows its size, its picture and what an event changes.
protocol Overlay: Sendable, Equatable {
  /// Whether every key is text, also the one that quits elsewhere.
  var acceptsText: Bool { get }
  /// Whether nothing else is done before the question has its answer, or the text is entered.
  var isAsking: Bool { get }
  /// Whether it may look different after something has been read.
  var showsData: Bool { get }
  /// The notification of which everything is to be read; `nil` for none.
  var notification: SampleID? { get }

  /// Columns and rows in a terminal of the scene's size, including the frame.
  func size(in scene: OverlayScene) -> CellSize

  func picture(in scene: OverlayScene) -> CellPicture

  /// Handles a key that is not for the stack itself.
  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply

  /// Handles a key that closes.
  func dismiss(in scene: OverlayScene) -> OverlayReply

  /// Handles the wheel; lines, down when positive.
  mutating func scroll(by lines: Int, in scene: OverlayScene)

  /// Inserts text from the clipboard, where there is a field to put it into.
  mutating func insert(_ text: String)

  /// What is copied while it is open; `nil` for what is chosen below it.
  func clipping(in context: ScreenContext) -> String?
}

extension Overlay {
  var acceptsText: Bool { false }
  var isAsking: Bool { false }
  var showsData: Bool { true }
  var notification: SampleID? { nil }
  func dismiss(in scene: OverlayScene) -> OverlayReply { .close() }
  mutating func scroll(by lines: Int, in scene: OverlayScene) {}
  mutating func insert(_ text: String) {}
  func clipping(in context: ScreenContext) -> String? { nil }

  /// Whether another overlay is of the same type and looks the same.
  func isEqual(to other: any Overlay) -> Bool { (other as? Self) == self }
}

/// Columns and rows.
typealias CellSize = (width: Int, height: Int)

/// What an overlay reads: the state below it, what was read, and the room on the screen.
struct OverlayScene {
  let state: ViewState
  let context: ScreenContext
  let terminal: CellSize
  /// The overlay's sheet as it is now, including the frame.
  let sheet: CellSize

  var appearance: Appearance { context.appearance }
}

/// A key, and the command that it is bound to.
struct OverlayInput {
  let key: InputEvent.Key
  let modifiers: InputEvent.Modifiers
  let command: Command?
}

/// What becomes of an overlay after a key.
enum OverlayReply {
  case stay(OverlayOutcome = .done)
  case close(OverlayOutcome = .done)
  /// Another one takes its place.
  case show(any Overlay)
}

/// What an event on an overlay comes to for the dashboard.
enum OverlayOutcome {
  case done
  case input(ScreenInput)
  case host(HostEffect)

  static func command(_ command: Command) -> OverlayOutcome { .input(.command(command)) }
}

/// An overlay of any type as an `Equatable` value.
struct AnyOverlay: Sendable, Equatable {
  let base: any Overlay

  init(_ base: some Overlay) { self.base = base }

  static func == (one: AnyOverlay, other: AnyOverlay) -> Bool { one.base.isEqual(to: other.base) }
}
