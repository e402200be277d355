import ConstraintAnimation

/// A terminal that understands what the writer may say, and notes everything else as a mistake.
///
/// It shares no code with the writer: it decodes UTF-8, parses control sequences and knows widths by itself. Like
/// a real terminal it blanks the other half of a wide character that is overwritten.
struct ModelTerminal {
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var cells: [[ModelCell]]
  private(set) var mistakes: [String] = []
  private(set) var modes: Set<Int> = []
  private(set) var isApplicationKeypad = false
  private(set) var column = 0
  private(set) var row = 0
  private(set) var bells = 0
  private var lastPlace = 0
  private var style = ModelStyle()
  private var margins: Range<Int>
  /// Whether erasing fills with the current background.
  var erasesWithBackground = true
  /// The columns of a scalar; terminals differ, so tests may.
  var width: (Unicode.Scalar) -> Int = ModelTerminal.usualWidth

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: ModelCell(), count: columns), count: rows)
    margins = 0..<rows
    modes = [7, 25]
  }

  /// Good for the characters that tests use.
  static func usualWidth(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300..<0x370, 0xE31, 0xE34...0xE3A, 0xE47...0xE4E, 0x200D, 0xFE00...0xFE0F: 0
    case 0x1100..<0x1160, 0x2E80..<0xA4D0, 0xAC00..<0xD7A4, 0xF900..<0xFB00, 0xFF01..<0xFF61,
      0x1F300..<0x1FB00:
      2
    default: 1
    }
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    var rest = Array(bytes)[...]
    while let byte = rest.first {
      if byte == 0x1B {
        rest = sequence(rest.dropFirst())
      } else if byte < 0x20 || byte == 0x7F {
        rest = rest.dropFirst()
        control(byte)
      } else {
        rest = character(rest)
      }
    }
  }

  func text(row: Int) -> String {
    var text = cells[row].map(\.text).joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  // MARK: - Characters

  private mutating func character(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let lead = bytes[bytes.startIndex]
    let count = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else {
      mistakes.append("malformed UTF-8 from \(lead)")
      return bytes.dropFirst()
    }
    put(scalar)
    return bytes.dropFirst(count)
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = width(scalar)
    if width == 0 {
      // Belongs to the character before it, at the end of the row too, where the cursor stays.
      cells[row][lastPlace].text.unicodeScalars.append(scalar)
      return
    }
    if column + width > columns { mistakes.append("\(scalar) does not fit at \(column)") }
    if modes.contains(7) { mistakes.append("autowrap is on") }
    let place = min(column, columns - width)
    for x in place..<place + width { split(x) }
    cells[row][place] = ModelCell(text: String(Character(scalar)), style: style)
    if width == 2 { cells[row][place + 1] = ModelCell(text: "", style: style) }
    lastPlace = place
    column = min(place + width, columns - 1)
  }

  /// Blanks the half that stays of a wide character.
  private mutating func split(_ x: Int) {
    if cells[row][x].text.isEmpty && x > 0 { cells[row][x - 1].text = " " }
    if x + 1 < columns && cells[row][x + 1].text.isEmpty { cells[row][x + 1].text = " " }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x08: column = max(column - 1, 0)
    case 0x0D: column = 0
    case 0x0F: break
    default: mistakes.append("control character \(byte)")
    }
  }

  // MARK: - Sequences

  private mutating func sequence(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch bytes.first {
    case 0x5B: return controlSequence(bytes.dropFirst())
    case 0x3D, 0x3E:
      isApplicationKeypad = bytes.first == 0x3D
      return bytes.dropFirst()
    case 0x28, 0x29: return bytes.dropFirst(2)
    case 0x5D:
      // A question about colours: up to ST.
      guard let end = bytes.firstIndex(of: 0x1B) else {
        mistakes.append("unfinished string")
        return []
      }
      return bytes[(end + 2)...]
    default:
      mistakes.append("escape \(bytes.first.map(String.init) ?? "at the end")")
      return bytes.dropFirst()
    }
  }

  private mutating func controlSequence(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let end = bytes.firstIndex(where: { $0 >= 0x40 }) else {
      mistakes.append("unfinished sequence")
      return []
    }
    let body = String(decoding: bytes[..<end], as: UTF8.self)
    let final = Character(Unicode.Scalar(bytes[end]))
    if body.hasPrefix("?") {
      setModes(body.dropFirst(), final)
    } else {
      let parameters = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
      run(final, parameters)
    }
    return bytes[(end + 1)...]
  }

  private mutating func setModes(_ body: Substring, _ final: Character) {
    for number in body.split(separator: ";").compactMap({ Int($0) }) {
      switch final {
      case "h": modes.insert(number)
      case "l": modes.remove(number)
      case "p": break
      default: mistakes.append("CSI ?\(body)\(final)")
      }
    }
  }

  private mutating func run(_ final: Character, _ parameters: [Int?]) {
    func number(_ index: Int, _ missing: Int = 1) -> Int {
      index < parameters.count ? parameters[index] ?? missing : missing
    }
    switch final {
    case "A": row = max(row - number(0), 0)
    case "B": row = min(row + number(0), rows - 1)
    case "C": column = min(column + number(0), columns - 1)
    case "D": column = max(column - number(0), 0)
    case "G": column = within(number(0), columns)
    case "H":
      row = within(number(0), rows)
      column = within(number(1), columns)
    case "J" where number(0, 0) == 2: for y in 0..<rows { erase(0..<columns, row: y) }
    case "K" where number(0, 0) == 0: erase(column..<columns, row: row)
    case "X": erase(column..<min(column + number(0), columns), row: row)
    case "L": insertLines(number(0))
    case "M": deleteLines(number(0))
    case "r":
      margins = number(0) - 1..<min(number(1, rows), rows)
      (column, row) = (0, 0)
    case "m": rendition(parameters.map { $0 ?? 0 })
    case "l" where number(0) == 4, "t": break
    default: mistakes.append("CSI \(parameters)\(final)")
    }
  }

  private mutating func within(_ number: Int, _ count: Int) -> Int {
    if number < 1 || number > count { mistakes.append("\(number) is outside of \(count)") }
    return min(max(number, 1), count) - 1
  }

  private var erased: ModelCell {
    var cell = ModelCell()
    if erasesWithBackground { cell.style.background = style.background }
    return cell
  }

  private mutating func erase(_ range: Range<Int>, row y: Int) {
    let saved = row
    row = y
    if let first = range.first { split(first) }
    if let last = range.last { split(last) }
    row = saved
    for x in range { cells[y][x] = erased }
  }

  private mutating func insertLines(_ count: Int) {
    guard margins.contains(row) else { return }
    for _ in 0..<count {
      cells.remove(at: margins.upperBound - 1)
      cells.insert(Array(repeating: erased, count: columns), at: row)
    }
  }

  private mutating func deleteLines(_ count: Int) {
    guard margins.contains(row) else { return }
    for _ in 0..<count {
      cells.remove(at: row)
      cells.insert(Array(repeating: erased, count: columns), at: margins.upperBound - 1)
    }
  }

  private mutating func rendition(_ parameters: [Int]) {
    var rest = parameters[...]
    if rest.isEmpty { rest = [0] }
    while let first = rest.popFirst() {
      switch first {
      case 0: style = ModelStyle()
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 3: style.isItalic = true
      case 4: style.isUnderlined = true
      case 7: style.isReversed = true
      case 22: (style.isBold, style.isDim) = (false, false)
      case 23: style.isItalic = false
      case 24: style.isUnderlined = false
      case 27: style.isReversed = false
      case 30...37: style.foreground = .ansi(first - 30)
      case 90...97: style.foreground = .ansi(first - 82)
      case 40...47: style.background = .ansi(first - 40)
      case 100...107: style.background = .ansi(first - 92)
      case 39: style.foreground = .own
      case 49: style.background = .own
      case 38: style.foreground = extended(&rest)
      case 48: style.background = extended(&rest)
      default: mistakes.append("SGR \(first)")
      }
    }
  }

  private mutating func extended(_ rest: inout ArraySlice<Int>) -> ModelColor {
    switch rest.popFirst() {
    case 5: if let index = rest.popFirst() { return .indexed(index) }
    case 2:
      if let red = rest.popFirst(), let green = rest.popFirst(), let blue = rest.popFirst() {
        return .rgb(red, green, blue)
      }
    default: break
    }
    mistakes.append("unfinished color")
    return .own
  }
}

/// A color as a terminal was told to show it.
enum ModelColor: Hashable {
  case own
  case rgb(Int, Int, Int)
  case indexed(Int)
  case ansi(Int)
}

struct ModelStyle: Hashable {
  var foreground = ModelColor.own
  var background = ModelColor.own
  var isBold = false
  var isDim = false
  var isItalic = false
  var isUnderlined = false
  var isReversed = false
}

/// One place of the model's screen.
struct ModelCell: Hashable {
  /// Empty for the second column of a wide character.
  var text = " "
  var style = ModelStyle()
}
