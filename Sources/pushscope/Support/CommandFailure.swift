import ArgumentParser
import Collector
import Configuration
import Fleet
import Formats
import HTTPServer
import LoopbackService
import Measurement
import Report
import Store
import TUI
import Threads
import Transport

/// Exit codes, from sysexits(3) where it has one. Scripts rely on them.
enum ExitStatus: Int32 {
  case failed = 1
  case usage = 64
  case noInput = 66
  case unavailable = 69
  case cannotCreate = 73
  case configuration = 78
  /// A gate or comparison cannot tell.
  case undecided = 98
  case threshold = 99
  /// The reader of standard output closed it: not an error.
  case brokenPipe = 0
}

/// An error that ends a command: a sentence that says what is wrong, where and what to do, and the exit code.
struct CommandFailure: Error {
  var message: String
  var exitStatus: ExitStatus

  init(_ message: String, exitStatus: ExitStatus) {
    self.message = message
    self.exitStatus = exitStatus
  }
}

extension CommandFailure {
  /// The exit code of the rooms' errors, whose descriptions already say what, where and what to do.
  init(describing error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ConfigurationError:
      self.init(
        "\(error)", exitStatus: [.missing, .unreadable].contains(error.code) ? .noInput : .configuration)
    case let error as FileReadError: self.init("\(error)", exitStatus: .configuration)
    case let error as DeviceDirectoryError: self.init("\(error)", exitStatus: .configuration)
    case let error as StoreError: self.init(Self.words(error), exitStatus: Self.status(of: error))
    case let error as ReportError:
      self.init("\(error)", exitStatus: error.code == .sameOnBothSides ? .usage : .noInput)
    case let error as OutputError:
      self.init("\(error)", exitStatus: error.code == .closedPipe ? .brokenPipe : .cannotCreate)
    case let error as TargetCredentialError: self.init("\(error)", exitStatus: .configuration)
    case let error as CollectorError: self.init("\(error)", exitStatus: Self.status(of: error))
    case let error as FleetError: self.init("\(error)", exitStatus: Self.status(of: error))
    case let error as TransportError:
      self.init("\(error)", exitStatus: error.code == .unusableTarget ? .configuration : .failed)
    case let error as HTTPServerError: self.init("\(error)", exitStatus: Self.status(of: error))
    case let error as LoopbackError:
      self.init("\(error)", exitStatus: error.code == .cannotWrite ? .cannotCreate : .configuration)
    case let error as DescriptorShortage: self.init("\(error)", exitStatus: .configuration)
    case let error as DashboardError: self.init("\(error)", exitStatus: Self.status(of: error))
    default: self.init("\(error)", exitStatus: .failed)
    }
  }

  /// Who may do it, where another user may: with the command that was given.
  private static func words(_ error: StoreError) -> String {
    guard let owner = error.owner else { return "\(error)" }
    return EscapedText.make(
      "\(error.detail): \(error.path); run it as that user: sudo -u \(owner) pushscope \(commandWords) …")
  }

  /// The command that was given, with its subcommand: `runs rename`.
  private static var commandWords: String {
    var known: [any ParsableCommand.Type] = Pushscope.configuration.subcommands
    var words: [String] = []
    for argument in CommandLine.arguments.dropFirst() {
      guard let command = known.first(where: { $0._commandName == argument }) else { break }
      words.append(argument)
      known = command.configuration.subcommands
    }
    return words.joined(separator: " ")
  }

  private static func status(of error: FleetError) -> ExitStatus {
    switch error.code {
    case .unreachable, .busy: .unavailable
    case .denied, .unusablePassword, .unusableAuthority: .configuration
    case .noSchema, .newerSchema, .olderSchema, .oldEngine, .noSuchRun: .noInput
    case .refused, .tooLarge, .cancelled: .failed
    }
  }

  private static func status(of error: CollectorError) -> ExitStatus {
    switch error.code {
    case .unknownTarget: .usage
    case .credentials, .refused, .providerLimit, .noDevices: .configuration
    case .unreachable: .unavailable
    }
  }

  private static func status(of error: StoreError) -> ExitStatus {
    switch error.code {
    case .missing, .isDirectory, .notADatabase, .notAStore, .newerSchema, .outdatedSchema, .corrupt,
      .unknownRun,
      .unknownFinding, .unknownTarget:
      .noInput
    case .inUse, .busy, .severalNames, .permissionDenied, .readOnly, .diskFull, .destinationExists,
      .unusablePath:
      .cannotCreate
    case .nameTooLong, .reservedName: .usage
    case .noCollector: .unavailable
    case .replaced, .runInProgress, .ioFailure, .identifiersExhausted, .closed, .conflict: .failed
    }
  }

  private static func status(of error: HTTPServerError) -> ExitStatus {
    switch error.code {
    case .bind: .unavailable
    case .identity: .configuration
    case .write: .cannotCreate
    }
  }

  private static func status(of error: DashboardError) -> ExitStatus {
    switch error.code {
    case .unknownTheme, .unknownMotion: .usage
    case .notFound, .unreadableStore: .noInput
    case .terminal, .system: .failed
    }
  }
}
