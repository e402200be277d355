import Store

extension StoreCondition {
  /// What a refused opening or a failed read means for the screen.
  init(_ error: any Error) {
    guard let error = error as? StoreError else {
      self = .unreadable("\(error)")
      return
    }
    switch error.code {
    case .missing: self = .missing
    case .isDirectory, .notADatabase, .notAStore: self = .notAStore(error.detail)
    case .newerSchema: self = .newer(error.detail)
    case .corrupt: self = .corrupt(error.detail)
    case .busy, .inUse: self = .locked
    case .permissionDenied, .readOnly, .diskFull, .ioFailure, .identifiersExhausted, .conflict, .unknownRun,
      .runInProgress, .noCollector, .nameTooLong, .reservedName, .closed, .severalNames, .replaced:
      self = .unreadable(error.detail)
    }
  }
}
