import ConstraintAnimation

enum Panel: Int, CaseIterable {
  case histogram, log, events
}
