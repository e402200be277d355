import Measurement

/// Something to be written to a file in the current directory.
enum ExportOrder: Sendable, Equatable {
  /// Rows of the table `samples`.
  case samples([SampleID])
  /// What is seen.
  case view(ViewFormat)
}
