import FoundationEssentials
import Measurement
import Providers
import Testing

@Suite struct ReceiptAuthenticatorTests {
  private let collector = UUID(uuidString: "6B1F0D5C-95D1-4C0F-9B1B-0242AC120002") ?? UUID()
  private var authenticator: ReceiptAuthenticator {
    ReceiptAuthenticator(secret: Array("0123456789abcdef0123456789abcdef".utf8), collectorID: collector)
  }

  private var id: NotificationID {
    NotificationID("00000000-0000-8000-8000-010000000001")
      ?? NotificationID(
        run: RunID(uuid: collector), sample: SampleID(rawValue: 1))
  }

  /// Computed with Python: hmac.new(secret, b"1|6b1f0d5c-95d1-4c0f-9b1b-0242ac120002|00000000-…", "sha256").
  @Test func matchesAnIndependentImplementation() {
    #expect(authenticator.mac(for: id) == "SDkOEB9RATbl9JQb5Yu9RelA9ODhx4wR-9YoDLEr6gg")
  }

  @Test func verifiesItsOwnAndNothingElse() throws {
    let mac = authenticator.mac(for: id)
    #expect(mac.utf8.count == 43)
    #expect(authenticator.verify(mac, for: id))
    let other = try #require(NotificationID("00000000-0000-8000-8000-010000000002"))
    #expect(!authenticator.verify(mac, for: other))
    let stranger = ReceiptAuthenticator(
      secret: Array("0123456789abcdef0123456789abcdeg".utf8), collectorID: collector)
    #expect(!stranger.verify(mac, for: id))
    #expect(
      !ReceiptAuthenticator(secret: Array("0123456789abcdef0123456789abcdef".utf8), collectorID: UUID())
        .verify(mac, for: id))
    for changed in [
      "", mac + "=", mac.uppercased() + "x", String(mac.dropLast()), mac + "A", "é" + mac.dropFirst(2),
    ] {
      #expect(!authenticator.verify(changed, for: id))
    }
    // One changed character anywhere is seen.
    for place in mac.indices {
      var changed = mac
      changed.replaceSubrange(place...place, with: mac[place] == "A" ? "B" : "A")
      #expect(!authenticator.verify(changed, for: id))
    }
  }
}
