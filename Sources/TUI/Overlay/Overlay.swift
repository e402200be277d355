/// What lies on top of the dashboard and has the keys.
enum Overlay: Sendable, Equatable {
  case palette(Palette)
  case prompt(Prompt)
}
