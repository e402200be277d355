import Measurement
import Providers
import Synchronization
import Threads

/// What other threads have for the timing thread, and what it shows them.
final class TimingMailbox: Sendable {
  struct Commands: Sendable {
    /// A target with one of its configurations.
    struct Key: Hashable, Sendable {
      var target: TargetID
      var generation: Int
    }

    /// What one reload changed.
    struct TargetChange: Sendable {
      /// Targets that another configuration takes the place of, or that end.
      var ending: [TargetID]
      /// Targets that begin, or go on with another configuration; after ``ending``.
      var beginning: [TransportTarget]
    }

    /// The sequence number through which each target's plan is committed.
    var committed: [Key: Int64] = [:]
    /// What targets shall send by from now on.
    var providers: [Key: CredentialedProviders] = [:]
    /// What reloads changed, in their order: one may end what the one before it has begun.
    var changes: [TargetChange] = []
    /// Which targets shall try the credential that was refused again.
    var trials: Set<Key> = []
    /// Targets of whose receivers something has changed; `true` where it is another one.
    var receivers: [Key: Bool] = [:]
    /// How long answers may still take once everything is to stop.
    var stop: Duration?
  }

  /// Raised while there are commands.
  let wake: WakeSignal
  private let commands = Mutex(Commands())
  private let statistics = Mutex(TimingStatistics())
  private let ended = Mutex<MonotonicTime?>(nil)

  init() throws(TransportError) {
    do throws(ThreadError) {
      wake = try WakeSignal()
    } catch {
      throw TransportError(.system, error.message)
    }
  }

  func leave(_ change: (inout Commands) -> Void) {
    commands.withLock { change(&$0) }
    wake.raise()
  }

  func drain() -> Commands {
    wake.clear()
    return commands.withLock { commands in
      let taken = commands
      commands = Commands()
      return taken
    }
  }

  func publish(_ new: TimingStatistics) { statistics.withLock { $0 = new } }

  /// Nothing whose planned instant is later than this was or will be sent. The first call holds.
  func recordEnd(of sending: MonotonicTime) {
    ended.withLock { if $0 == nil { $0 = sending } }
  }

  var sendingEnded: MonotonicTime? { ended.withLock { $0 } }

  var latestStatistics: TimingStatistics { statistics.withLock { $0 } }
}
