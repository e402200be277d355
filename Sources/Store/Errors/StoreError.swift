/// Why a store could not be opened, read or written.
///
/// Its description is one sentence a person can act on: what is wrong, where, what to do.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no such file.
    case missing
    /// The path names a directory.
    case isDirectory
    /// The file is not an SQLite database.
    case notADatabase
    /// An SQLite database, but no pushscope store, or one that nothing was written to yet.
    case notAStore
    /// Written by a newer pushscope; left as it is.
    case newerSchema
    /// SQLite found the file damaged.
    case corrupt
    /// The file has more than one hard link: SQLite's log and the lock belong to one name only.
    case severalNames
    /// The name does not stand for the file any more that is open here: it was moved, deleted or replaced.
    case replaced
    /// Another collector holds the store; see ``StoreError/holder``.
    case inUse
    /// The file or its directory may not be read or written by this user.
    case permissionDenied
    /// The file or its file system is read-only.
    case readOnly
    /// No room left for what was to be written. Nothing of it was written.
    case diskFull
    /// Another program held a lock on the database for too long.
    case busy
    /// The system refused a read or write for another reason.
    case ioFailure
    /// Every number for targets, over all runs, is used up.
    case identifiersExhausted
    /// What was to be written contradicts what the store holds, e.g. a row that is there already.
    case conflict
    /// The store does not know the run it was asked about.
    case unknownRun
    /// A run that is being recorded cannot be deleted.
    case runInProgress
    /// There is no collector that could be asked.
    case noCollector
    /// More than ``ControlCommand/longestName`` bytes.
    case nameTooLong
    /// A run cannot be called ``ControlCommand/reservedName``.
    case reservedName
    /// It was closed here before.
    case closed
  }

  public var code: Code
  /// The file it concerns.
  public var path: String
  /// What is wrong, in lower case and without a full stop.
  public var detail: String
  /// What to do about it.
  public var remedy: String
  /// The process that holds the store, with ``Code/inUse``, when it could be read.
  public var holder: Int32?

  public init(_ code: Code, path: String, detail: String, remedy: String, holder: Int32? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.remedy = remedy
    self.holder = holder
  }

  /// Whether the same call may succeed later with nothing changed here: a failed commit wrote nothing, so the same
  /// batch can be committed again.
  public var isTransient: Bool {
    switch code {
    case .diskFull, .busy, .ioFailure: true
    default: false
    }
  }

  /// Whether what is written no longer reaches the file with the store's name, or another collector writes it too.
  public var isStoreLost: Bool { code == .replaced || code == .inUse }

  /// The file, its directory or its file system may not be written to: SQLite says one or the other, depending on which of
  /// its files it misses.
  var isLackOfRights: Bool { code == .permissionDenied || code == .readOnly }

  public var description: String { "\(detail): \(path); \(remedy)" }
}
