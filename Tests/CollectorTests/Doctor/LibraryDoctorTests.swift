import Testing

@testable import Collector

struct LibraryDoctorTests {
  private func doctor(carriesBytes: Bool = true, _ stamps: LibraryDoctor.SentStamps = .byByte)
    -> LibraryDoctor
  {
    LibraryDoctor(
      curl: "8.5.0", tls: carriesBytes ? "OpenSSL/3.0.17" : "GnuTLS/3.7.9", carriesBytes: carriesBytes,
      nghttp2: "1.52.0", sqlite: "3.40.1", sentStamps: stamps)
  }

  @Test func everythingIsNamed() {
    let findings = doctor().findings
    #expect(findings.allSatisfy { $0.level == .fine && $0.remedy.isEmpty })
    let text = findings.map(\.description).joined(separator: "\n")
    for word in [
      "libcurl 8.5.0 with OpenSSL/3.0.17", "nghttp2 1.52.0", "SQLite 3.40.1", "when each byte left",
    ] {
      #expect(text.contains(word), "\(word) in \(text)")
    }
  }

  /// Nothing of this keeps a run from starting: each is a note that says what follows and what to do.
  @Test func whatIsMissingIsANoteWithARemedy() {
    let other = doctor(carriesBytes: false).findings[0]
    #expect(other.level == .note && other.message.contains("GnuTLS/3.7.9"))
    #expect(other.remedy.contains("libcurl4"))
    for stamps in [LibraryDoctor.SentStamps.byCall, .none] {
      let finding = doctor(stamps).findings.last
      #expect(finding?.level == .note && finding?.remedy.isEmpty == false)
    }
  }

  @Test func thisProcessKnowsItsLibraries() {
    let doctor = LibraryDoctor.ofThisProcess()
    for version in [doctor.curl, doctor.nghttp2, doctor.sqlite] {
      #expect(version.first?.isNumber == true && version.contains("."), "\(version)")
    }
    #expect(doctor.tls.contains("/") && doctor.sentStamps != .unknown)
  }
}
