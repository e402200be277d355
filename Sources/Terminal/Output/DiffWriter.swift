import ConstraintAnimation
import Glibc

/// Compares what should be on the screen with what is, and writes the difference as bytes for a terminal.
///
/// It does no I/O: `encode` returns the bytes of one frame, and the caller must either write all of
/// them or call `invalidate`. Nothing is allocated per frame once the largest frame has been seen.
public final class DiffWriter {
  /// What the terminal can do. A change that affects the look of cells repaints the whole screen.
  public var profile: OutputProfile {
    didSet {
      if profile.colors == oldValue.colors && profile.encodesUTF8 == oldValue.encodesUTF8 {
        encoder.profile = profile
      } else {
        encoder = FrameEncoder(profile: profile)
        invalidate()
      }
    }
  }

  private var encoder: FrameEncoder
  private let front: CellBuffer
  private var frontHashes: [UInt64]
  private var backHashes: [UInt64]
  /// Which of `frontHashes` are of what is shown.
  private var isHashed: [Bool] = []
  /// The columns of each row that may differ from what is shown.
  private var spans: [Range<Int>] = []
  /// Which rows differed from what was shown, before any of them was moved.
  private var isChanged: [Bool] = []
  private var blankHash: UInt64 = 0
  private var isValid = false
  private var shownCursor: CursorPosition?

  public init(columns: Int, rows: Int, profile: OutputProfile) {
    self.profile = profile
    encoder = FrameEncoder(profile: profile)
    front = CellBuffer(columns: columns, rows: rows)
    frontHashes = []
    backHashes = []
  }

  /// The next frame blanks the screen first: after a resize, after a resume, or when another program wrote to the
  /// screen.
  public func invalidate() {
    isValid = false
    shownCursor = nil
  }

  /// The bytes that make the terminal show `back`; empty when it already does.
  ///
  /// - Parameters:
  ///   - cursor: where text is being typed, inside the buffer; `nil` hides the cursor.
  ///   - changed: the only cells that may differ from what the last call was given; `nil` where that is not known.
  /// - Returns: valid until the next call.
  public func encode(
    _ back: CellBuffer, cursor: CursorPosition? = nil, changed: CellRegion? = nil
  ) -> UnsafeRawBufferPointer {
    encoder.bytes.removeAll()
    if profile.synchronizesOutput { encoder.bytes.append("\u{1B}[?2026h") }
    let start = encoder.bytes.count
    let isRepaint = !isValid || front.columns != back.columns || front.rows != back.rows
    if isRepaint { repaint(columns: back.columns, rows: back.rows) }
    let isWhole = isRepaint || changed == nil
    setSpans(in: isWhole ? CellRegion(back.bounds) : changed?.intersection(back.bounds) ?? CellRegion())
    let mayMove = findChanges(back) >= 3 && profile.movesRows && !isRepaint
    if mayMove { hashRows(back) }
    let hasMoved = mayMove && moveRows()
    encodeRows(back, isHashed: mayMove, hasMoved: hasMoved)
    encode(cursor, hasPainted: encoder.bytes.count > start)
    if encoder.bytes.count == start {
      encoder.bytes.removeAll()
    } else if profile.synchronizesOutput {
      encoder.bytes.append("\u{1B}[?2026l")
    }
    return encoder.bytes.contents
  }

  private func repaint(columns: Int, rows: Int) {
    if front.columns != columns || front.rows != rows {
      front.resize(columns: columns, rows: rows)
    } else {
      front.clear()
    }
    blankHash = front.storage.baseAddress.map { RowMove.hash($0, count: columns) } ?? 0
    frontHashes = Array(repeating: blankHash, count: rows)
    backHashes = frontHashes
    isHashed = Array(repeating: true, count: rows)
    isChanged = Array(repeating: false, count: rows)
    spans = Array(repeating: 0..<0, count: rows)
    encoder.clearScreen()
    if shownCursor == nil { encoder.bytes.append("\u{1B}[?25l") }
    isValid = true
  }

  private func setSpans(in region: CellRegion) {
    for y in spans.indices { spans[y] = 0..<0 }
    for rect in region.rects {
      for y in rect.y0..<rect.y1 {
        let span = spans[y]
        spans[y] =
          span.isEmpty ? rect.x0..<rect.x1 : min(span.lowerBound, rect.x0)..<max(span.upperBound, rect.x1)
      }
    }
  }

  /// Looks which rows have changed.
  /// - Returns: how many of them may have changed as a whole, so that others may have taken their place.
  private func findChanges(_ back: CellBuffer) -> Int {
    let columns = back.columns
    guard let wanted = back.storage.baseAddress, let shown = front.storage.baseAddress else { return 0 }
    var count = 0
    for y in 0..<back.rows {
      let (span, first) = (spans[y], y * columns + spans[y].lowerBound)
      isChanged[y] = !Self.areEqual(wanted + first, shown + first, span.count)
      if isChanged[y], span.count > columns / 2 { count += 1 }
    }
    return count
  }

  /// - Parameters:
  ///   - isHashed: the rows that are wanted have been hashed.
  ///   - hasMoved: rows have been moved, so that others differ than before.
  private func encodeRows(_ back: CellBuffer, isHashed: Bool, hasMoved: Bool) {
    let columns = back.columns
    guard let wanted = back.storage.baseAddress, let shown = front.storage.baseAddress else { return }
    for y in 0..<back.rows {
      let source = wanted + y * columns
      let target = shown + y * columns
      if hasMoved ? Self.areEqual(source, target, columns) : !isChanged[y] { continue }
      let span = hasMoved ? 0..<columns : spans[y]
      encoder.encodeRow(y, back: source, front: target, span: span, count: columns)
      (target + span.lowerBound).update(from: source + span.lowerBound, count: span.count)
      self.isHashed[y] = isHashed
      if isHashed { frontHashes[y] = backHashes[y] }
    }
  }

  /// Hashes rows, as far as that is not known.
  private func hashRows(_ back: CellBuffer) {
    let columns = back.columns
    guard let wanted = back.storage.baseAddress, let shown = front.storage.baseAddress else { return }
    for y in 0..<back.rows {
      if !isHashed[y] {
        frontHashes[y] = RowMove.hash(shown + y * columns, count: columns)
        isHashed[y] = true
      }
      backHashes[y] = isChanged[y] ? RowMove.hash(wanted + y * columns, count: columns) : frontHashes[y]
    }
  }

  private static func areEqual(_ left: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>, _ count: Int)
    -> Bool
  {
    memcmp(left, right, count * MemoryLayout<Cell>.stride) == 0
  }

  /// Has the terminal move a block of rows where that is cheaper than painting them.
  /// - Returns: whether it did.
  private func moveRows() -> Bool {
    let columns = front.columns
    guard let shown = front.storage.baseAddress,
      let move = RowMove.best(back: backHashes.span, front: frontHashes.span, blank: blankHash)
    else { return false }
    encoder.moveRows(in: move.region, by: move.distance)
    let kept = move.region.count - abs(move.distance)
    let first = move.region.lowerBound
    let (from, to) = move.distance < 0 ? (first - move.distance, first) : (first, first + move.distance)
    (shown + to * columns).update(from: shown + from * columns, count: kept * columns)
    let uncovered = move.distance < 0 ? first + kept..<move.region.upperBound : first..<to
    (shown + uncovered.lowerBound * columns).update(repeating: .blank, count: uncovered.count * columns)
    frontHashes.withUnsafeMutableBufferPointer { hashes in
      guard let hashes = hashes.baseAddress else { return }
      (hashes + to).update(from: hashes + from, count: kept)
      (hashes + uncovered.lowerBound).update(repeating: blankHash, count: uncovered.count)
    }
    return true
  }

  private func encode(_ cursor: CursorPosition?, hasPainted: Bool) {
    if let cursor {
      if cursor != shownCursor || hasPainted { encoder.showCursor(x: cursor.column, y: cursor.row) }
    } else if shownCursor != nil {
      encoder.bytes.append("\u{1B}[?25l")
    }
    shownCursor = cursor
  }
}

/// The terminal's cursor position, counted from 0.
public struct CursorPosition: Sendable, Hashable {
  public var column: Int
  public var row: Int
}

/// Terminal features that the writer may use.
public struct OutputProfile: Sendable, Hashable {
  public var colors: ColorProfile

  /// False where the terminal does not decode UTF-8: other characters are then replaced by ASCII.
  public var encodesUTF8: Bool

  /// Erasing fills with the current background (terminfo `bce`). Without it only cells with the terminal's own
  /// background are erased, others are painted.
  public var erasesWithBackground: Bool

  /// The frame is bracketed by `CSI ? 2026 h` and `l`, so that the terminal shows it at once.
  public var synchronizesOutput: Bool

  /// Rows that moved up or down together are moved by the terminal (scroll region), not painted again.
  public var movesRows: Bool

  public init(
    colors: ColorProfile, encodesUTF8: Bool = true, erasesWithBackground: Bool = true,
    synchronizesOutput: Bool = false, movesRows: Bool = true
  ) {
    self.colors = colors
    self.encodesUTF8 = encodesUTF8
    self.erasesWithBackground = erasesWithBackground
    self.synchronizesOutput = synchronizesOutput
    self.movesRows = movesRows
  }
}

/// Counts, sizes and times of frames.
public struct FrameStatistics: Sendable, Hashable {
  /// Frames that were encoded, also those that changed nothing.
  public internal(set) var frames = 0
  /// Frames that were skipped because the terminal accepted no more bytes.
  public internal(set) var skippedFrames = 0
  /// Frames that took more than one `write`.
  public internal(set) var partialWrites = 0
  public internal(set) var totalBytes = 0
  public internal(set) var lastFrameBytes = 0
  /// Comparing and encoding the last frame.
  public internal(set) var lastEncodeDuration = Duration.zero
  /// The system call that wrote the last frame.
  public internal(set) var lastWriteDuration = Duration.zero

  public init() {}
}

/// The outcome of presenting a frame.
public enum FrameOutcome: Sendable, Hashable {
  case written(bytes: Int)
  /// The terminal shows it already; nothing was written.
  case unchanged
  /// The terminal accepts no more bytes now. Present again when it does; `nextEvents` also waits for that.
  case skipped
  /// The terminal has hung up; `hangup` follows.
  case failed
}

/// A block of rows that is already on screen at another height.
///
/// A scrolling list or a panel that slides up changes nearly every row; the terminal can move them
/// itself for about twenty bytes. At most one move per frame is used, the one that saves most.
struct RowMove: Equatable {
  /// The rows that take part: the block where it was and where it goes.
  var region: Range<Int>
  /// Rows towards the bottom; negative towards the top.
  var distance: Int

  /// - Parameters:
  ///   - back: a hash of each row that is wanted.
  ///   - front: a hash of each row that is there, as many.
  ///   - blank: the hash of a blank row, which moving does not save.
  /// - Returns: the best move, `nil` when none saves at least three rows.
  static func best(
    back: Span<UInt64>, front: Span<UInt64>, blank: UInt64
  ) -> RowMove? {
    let count = back.count
    guard count > 1 else { return nil }
    var best: RowMove?
    var bestSaving = 2
    for distance in 1 - count..<count where distance != 0 {
      // Row y takes what is at y - distance.
      var y = max(0, distance)
      let end = min(count, count + distance)
      while y < end {
        guard back[y] == front[y - distance] else {
          y += 1
          continue
        }
        let start = y
        var saving = 0
        while y < end && back[y] == front[y - distance] {
          if back[y] != front[y] && back[y] != blank { saving += 1 }
          y += 1
        }
        guard saving > bestSaving else { continue }
        let block = start..<y
        let source = start - distance..<y - distance
        let region = min(block.lowerBound, source.lowerBound)..<max(block.upperBound, source.upperBound)
        // Rows that were right already and are wiped by the move have to be painted again.
        for other in region
        where !block.contains(other) && back[other] == front[other] && back[other] != blank {
          saving -= 1
        }
        if saving > bestSaving {
          bestSaving = saving
          best = RowMove(region: region, distance: distance)
        }
      }
    }
    return best
  }

  /// A hash of a row's cells. Two different rows may share one: a move is then of less use, but the cells are
  /// compared afterwards in any case.
  static func hash(_ row: UnsafePointer<Cell>, count: Int) -> UInt64 {
    UnsafeRawPointer(row).withMemoryRebound(to: UInt64.self, capacity: 2 * count) { words in
      // Four sums side by side: a multiplication need not wait for the one before it.
      let factor: UInt64 = 0x9FB2_1C65_1E98_DF25
      var (first, second, third, fourth) = (factor, factor &* 3, factor &* 5, factor &* 7)
      var index = 0
      while index + 4 <= 2 * count {
        first = first &* factor &+ words[index]
        second = second &* factor &+ words[index + 1]
        third = third &* factor &+ words[index + 2]
        fourth = fourth &* factor &+ words[index + 3]
        index += 4
      }
      if index < 2 * count {
        first = first &* factor &+ words[index]
        second = second &* factor &+ words[index + 1]
      }
      var hash =
        first ^ (second << 17 | second >> 47) ^ (third << 31 | third >> 33) ^ (fourth << 47 | fourth >> 17)
      hash = (hash ^ hash >> 32) &* factor
      return hash ^ hash >> 29
    }
  }
}
