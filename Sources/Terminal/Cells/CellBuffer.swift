public import ConstraintAnimation

/// A grid of cells to draw on: the back buffer that views fill and `DiffWriter` compares with the screen.
///
/// Not Sendable: it belongs to the thread that draws. Its storage is flat and made anew only when the size changes.
public final class CellBuffer {
  public private(set) var columns: Int
  public private(set) var rows: Int
  var storage: UnsafeMutableBufferPointer<Cell>

  /// Only cells inside are changed; always within `bounds`. See `CellCanvas.clip`.
  public var clip: CellRect {
    didSet { clip = clip.intersection(bounds) }
  }

  /// How many colors the screen has. Fading dithers where blending would not show.
  public var colors: ColorProfile

  /// What fading takes the terminal's own colors to be. They are asked of the terminal or come with a theme.
  public var assumedForeground = Color(204, 204, 204)
  public var assumedBackground = Color(0, 0, 0)

  /// - Parameters:
  ///   - columns: at least 1; smaller values count as 1, larger ones than 65 535 as that.
  ///   - rows: the same.
  public init(columns: Int, rows: Int, colors: ColorProfile = .trueColor) {
    self.columns = CellBuffer.bounded(columns)
    self.rows = CellBuffer.bounded(rows)
    self.colors = colors
    storage = .allocate(capacity: self.columns * self.rows)
    storage.initialize(repeating: .blank)
    clip = CellRect(x0: 0, y0: 0, x1: self.columns, y1: self.rows)
  }

  deinit { storage.deallocate() }

  private static func bounded(_ length: Int) -> Int { min(max(length, 1), 65_535) }

  /// Changes the size and blanks every cell. The clip becomes the whole grid.
  public func resize(columns: Int, rows: Int) {
    let newColumns = CellBuffer.bounded(columns)
    let newRows = CellBuffer.bounded(rows)
    if newColumns * newRows != storage.count {
      storage.deallocate()
      storage = .allocate(capacity: newColumns * newRows)
      storage.initialize(repeating: .blank)
    } else {
      storage.update(repeating: .blank)
    }
    self.columns = newColumns
    self.rows = newRows
    clip = bounds
  }

  /// Blanks every cell, whatever the clip.
  public func clear() { storage.update(repeating: .blank) }

  /// The cell at a place inside `bounds`.
  public subscript(x: Int, y: Int) -> Cell {
    precondition(x >= 0 && x < columns && y >= 0 && y < rows, "no cell at \(x), \(y)")
    return storage[y * columns + x]
  }

  /// Runs `body` on the cells of one row inside `bounds`, left to right.
  public func withRow<Result>(_ y: Int, _ body: (UnsafeBufferPointer<Cell>) -> Result) -> Result {
    precondition(y >= 0 && y < rows, "no row \(y)")
    return body(UnsafeBufferPointer(rebasing: storage[y * columns..<(y + 1) * columns]))
  }

  /// Copies another buffer's cells, size and all.
  public func copy(from other: CellBuffer) {
    if columns != other.columns || rows != other.rows {
      resize(columns: other.columns, rows: other.rows)
    }
    _ = storage.update(fromContentsOf: other.storage)
  }
}

extension CellBuffer: Equatable {
  /// Whether both show the same; clips and color profiles do not matter.
  public static func == (left: CellBuffer, right: CellBuffer) -> Bool {
    left.columns == right.columns && left.rows == right.rows && left.storage.elementsEqual(right.storage)
  }
}
