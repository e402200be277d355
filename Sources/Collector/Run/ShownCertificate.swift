import Configuration
import Cryptography
import FoundationEssentials
import Measurement
import Store

/// A certificate that the collector shows to devices, browsers or push services.
struct ShownCertificate: Equatable {
  /// Who shows it, in words.
  var shownBy: String
  var path: String

  /// Its validity; `nil` for a file that cannot be read: who needs it says so.
  var condition: Condition? {
    guard let bytes = FileManager.default.contents(atPath: path),
      let certificate = try? Certificate(pem: String(decoding: bytes, as: UTF8.self))
    else { return nil }
    return Condition(
      .certificate, shownBy, since: WallTime(seconds: certificate.begins),
      until: WallTime(seconds: certificate.ends), detail: path)
  }
}

extension PushscopeConfiguration {
  /// The certificates that the collector shows.
  var shownCertificates: [ShownCertificate] {
    listenerCertificates
      + targets.compactMap { target in
        guard case .apns(let settings) = target.settings,
          case .certificate(let file, _) = settings.credentials
        else { return nil }
        return ShownCertificate(shownBy: target.name, path: file)
      }
  }

  /// Those that are shown to who connects.
  var listenerCertificates: [ShownCertificate] {
    var all: [ShownCertificate] = []
    if let receipts = collector.receipts {
      all.append(.init(shownBy: "the receipt listener", path: receipts.certificateFile))
    }
    if let identity = service?.identity {
      all.append(.init(shownBy: "the web endpoint", path: identity.certificateFile))
    }
    return all
  }
}
