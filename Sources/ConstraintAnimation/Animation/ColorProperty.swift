enum ColorProperty {
  case tint, background
}
