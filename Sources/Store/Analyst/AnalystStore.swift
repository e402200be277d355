import FoundationEssentials

/// A collector's store as its analyst has it: whoever finds changes, judges objectives, tells alerts and forwards rows. It reads
/// like any reader, and writes what follows from the rows, never the rows themselves.
///
/// Each call is a transaction of its own and throws ``StoreError``; a failed one wrote nothing.
public protocol AnalystStore: Sendable {
  var path: String { get }
  var collectorID: UUID { get }
  /// The last revision given to a row before this collector opened the store.
  var revisionAtStart: Int64 { get }

  /// Writes findings, their events and the detectors' states.
  func save(_ changes: FindingChanges) throws
  /// Forgets what the detectors know; findings stay.
  func resetDetectors() throws
  /// Writes objectives, alerts and what is said of them.
  func save(_ changes: ObjectiveChanges) throws

  func expectForwarding(at place: String) throws
  func beginForwarding(to fleet: String, at place: String) throws -> ForwardCursor
  func resumeForwarding(_ fleet: String) throws
  func moveForwardCursor(of fleet: String, to revision: Int64) throws
  func beginRenumbering(after common: Int64, above highest: Int64, runs: [String]) throws -> Renumbering
  /// Gives some rows new revisions.
  /// - Returns: what is left to do; `nil` when all is done.
  func advance(_ renumbering: Renumbering) throws -> Renumbering?
}

extension CollectorStore: AnalystStore {}

/// A write that the analyst asks the collector for.
public enum AnalystRequest: Sendable, Codable {
  case saveFindings(FindingChanges)
  case resetDetectors
  case saveObjectives(ObjectiveChanges)
  case expectForwarding(place: String)
  case beginForwarding(fleet: String, place: String)
  case resumeForwarding(fleet: String)
  case moveCursor(fleet: String, revision: Int64)
  case beginRenumbering(after: Int64, above: Int64, runs: [String])
  case renumber(Renumbering)

  /// Carries it out.
  public func perform(in store: some AnalystStore) -> AnalystReply {
    do {
      switch self {
      case .saveFindings(let changes): try store.save(changes)
      case .resetDetectors: try store.resetDetectors()
      case .saveObjectives(let changes): try store.save(changes)
      case .expectForwarding(let place): try store.expectForwarding(at: place)
      case .beginForwarding(let fleet, let place):
        return .cursor(try store.beginForwarding(to: fleet, at: place))
      case .resumeForwarding(let fleet): try store.resumeForwarding(fleet)
      case .moveCursor(let fleet, let revision): try store.moveForwardCursor(of: fleet, to: revision)
      case .beginRenumbering(let common, let highest, let runs):
        return .renumbering(try store.beginRenumbering(after: common, above: highest, runs: runs))
      case .renumber(let renumbering): return .renumbering(try store.advance(renumbering))
      }
      return .done
    } catch {
      return .failed(
        error as? StoreError
          ?? StoreError(
            .ioFailure, path: store.path, detail: "\(error)", remedy: "look at the collector's log"))
    }
  }
}

/// The collector's answer to an ``AnalystRequest``.
public enum AnalystReply: Sendable, Equatable, Codable {
  case done
  case cursor(ForwardCursor)
  case renumbering(Renumbering?)
  case failed(StoreError)
}
