import Collector
import Cryptography
import Measurement
import Providers
import Store

/// An invitation that a collector has taken. Its token is in the URL alone.
struct IssuedInvitation {
  let url: String
  let name: String
  let begun: WallTime
  let expiresAt: WallTime

  private static let tokenBytes = 16
  /// How long a collector may take to answer, in seconds.
  private static let answerLimit = 10.0

  /// Has the collector of a store take an invitation.
  /// - Parameter length: how long it is valid.
  /// - Throws: ``CommandFailure``, 69 where no collector is running or it takes none; `StoreError`.
  static func issue(for name: String, at place: InvitationPlace, store: String, length: Duration) throws
    -> IssuedInvitation
  {
    let token = Base64URL.encode(RandomBytes.make(tokenBytes))
    let begun = SystemClock().wallNow()
    let invitation = DeviceInvitation(
      name: name, expiresAt: begun + length, tokenHash: HexText.make(SHA256.hash(Array(token.utf8))))
    do {
      try ControlRun.carryOut(.device(.invite(invitation)), store: store, within: answerLimit)
    } catch let error as StoreError where error.code == .noCollector {
      throw CommandFailure("\(error)", exitStatus: .unavailable)
    } catch let error as StoreError where [.permissionDenied, .readOnly].contains(error.code) {
      throw CommandFailure(
        "\(error); as the service's user: sudo -u pushscope pushscope invite \(name)",
        exitStatus: .cannotCreate)
    } catch let failure as CommandFailure where failure.exitStatus == .failed {
      throw CommandFailure(failure.message, exitStatus: .unavailable)
    }
    return IssuedInvitation(
      url: place.url(token: token), name: name, begun: begun, expiresAt: invitation.expiresAt)
  }
}
