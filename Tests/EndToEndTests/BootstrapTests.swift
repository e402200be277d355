import Foundation
import TestKit
import TestTraits
import Testing

/// `scripts/bootstrap test` on a machine that has none of the services: with an apt-get and a dpkg that record their
/// arguments, and everything below /usr hidden.
@Suite("The bootstrap changes nothing outside .build", .ownThread, .serialized)
struct BootstrapTests {
  private static let root = Programs.repository

  private let directory: TemporaryDirectory
  /// The only directory in the PATH.
  private var programs: String { directory.file("programs") }

  init() throws {
    directory = try TemporaryDirectory()
    for folder in ["programs", "scripts", "Tests/Support"] {
      try FileManager.default.createDirectory(
        atPath: directory.file(folder), withIntermediateDirectories: true)
    }
    let script = try String(contentsOfFile: Self.root + "/scripts/bootstrap", encoding: .utf8)
    // The machine's own /usr is used only for the interpreters of scripts.
    // A Debian whatever this is.
    let system = try directory.write("os-release", "ID=debian\n")
    let hidden = script.replacing("/etc/os-release", with: system).replacing(
      "[ -x \"/usr/", with: "[ -x \"\(directory.path)/usr/"
    )
    .replacing("[ -x /usr/", with: "[ -x \(directory.path)/usr/")
    .replacing("[ -e /usr/lib/", with: "[ -e \(directory.path)/usr/lib/")
    .replacing("has_unified_push \"\"", with: "has_unified_push \(directory.path)")
    try directory.write("scripts/bootstrap", hidden)
    for name in [
      "sh", "sed", "sort", "head", "dirname", "basename", "mkdir", "rm", "cat", "chmod", "id", "cp", "cmp",
      "env", "grep",
    ] {
      let path = try #require(Programs.find(name), "\(name)")
      try FileManager.default.createSymbolicLink(
        atPath: programs + "/" + name, withDestinationPath: path)
    }
    // Everything that is installed in the ordinary way is already there.
    let ordinary = try #require(script.firstMatch(of: /check_test\(\) \{\n((?:  .*\n)+)\}/)).1
    let programs = ordinary.matches(of: /command -v (\S+)/).map { String($0.1) }
    try #require(programs.contains("nghttpd"))
    for name in programs + ["python3", "chromium", "ip"] {
      try program(name, "exit 0")
    }
  }

  private func program(_ name: String, _ lines: String) throws {
    try directory.write("programs/\(name)", "#!/bin/sh\n\(lines)\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: programs + "/" + name)
  }

  private func bootstrap() throws -> (status: Int32, output: String, error: String) {
    try run(
      "sh", [directory.file("scripts/bootstrap"), "test"], environment: ["PATH": programs])
  }

  private var asked: [String] {
    let log = try? String(contentsOfFile: directory.file("asked"), encoding: .utf8)
    return (log ?? "").split(separator: "\n").map(String.init)
  }

  @Test("services are announced and unpacked below .build, never installed; a second call asks for nothing")
  func services() throws {
    try program(
      "apt-get",
      """
      echo "apt-get $*" >>'\(directory.path)/asked'
      case "$*" in
        *--simulate*) printf 'Inst nginx-common (1)\\nInst nginx (1)\\nInst lua5.4 (1)\\nConf nginx (1)\\n' ;;
        download*) for name; do case $name in -*|*=*|download) ;; *) : >"$name.deb" ;; esac; done ;;
        *) echo "not to be asked: $*" >&2; exit 100 ;;
      esac
      """)
    // The contents of a package: a daemon that prints its version, modules, an interpreter.
    try program(
      "dpkg",
      """
      echo "dpkg $*" >>'\(directory.path)/asked'
      [ "$1" = -x ] || exit 1
      case $2 in
        *nginx.deb) daemon=nginx ;;
        *nghttp2-proxy.deb) daemon=nghttpx ;;
        *nchan*) mkdir -p "$3/usr/lib/nginx/modules"; : >"$3/usr/lib/nginx/modules/ngx_nchan_module.so"; exit ;;
        *prosody-modules*) mkdir -p "$3/usr/lib/prosody/modules/mod_unified_push"; exit ;;
        *prosody.deb) mkdir -p "$3/usr/bin"; printf "#!/usr/bin/env lua5.4\\nCFG_SOURCEDIR='/usr/lib/prosody';\\n" >"$3/usr/bin/prosody"; exit ;;
        *firefox-esr.deb) mkdir -p "$3/usr/bin" "$3/usr/lib/firefox-esr"; : >"$3/usr/bin/firefox-esr"; chmod +x "$3/usr/bin/firefox-esr"; printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/lib/firefox-esr/firefox-esr"; chmod +x "$3/usr/lib/firefox-esr/firefox-esr"; exit ;;
        *libnss3-tools.deb) mkdir -p "$3/usr/bin"; printf '#!/bin/sh\\necho "-A Add"; exit 1\\n' >"$3/usr/bin/certutil"; chmod +x "$3/usr/bin/certutil"; exit ;;
        *prometheus.deb) mkdir -p "$3/usr/bin"; for name in prometheus promtool; do printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/bin/$name"; chmod +x "$3/usr/bin/$name"; done; exit ;;
        *prometheus-alertmanager.deb) mkdir -p "$3/usr/bin"; printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/bin/prometheus-alertmanager"; chmod +x "$3/usr/bin/prometheus-alertmanager"; exit ;;
        *lua5.4.deb) mkdir -p "$3/usr/bin"; printf '#!/bin/sh\\ngrep -q PROSODY_ROOT "$1"\\n' >"$3/usr/bin/lua5.4"; chmod +x "$3/usr/bin/lua5.4"; exit ;;
        *) exit ;;
      esac
      mkdir -p "$3/usr/sbin"; printf '#!/bin/sh\\nexit 0\\n' >"$3/usr/sbin/$daemon"; chmod +x "$3/usr/sbin/$daemon"
      """)
    let first = try bootstrap()
    #expect(first.status == 0, "\(first.error)")
    for package in [
      "nginx", "libnginx-mod-nchan", "nghttp2-proxy", "prosody", "prosody-modules", "prometheus",
      "prometheus-alertmanager", "firefox-esr", "libnss3-tools",
    ] {
      #expect(first.error.contains(package), "\(package) is said")
      #expect(
        asked.contains { $0.hasPrefix("dpkg -x") && $0.contains("/\(package).deb .build/services/root") },
        "\(asked)")
    }
    #expect(asked.contains { $0.contains("lua5.4.deb") }, "and what they depend on")
    #expect(
      asked.allSatisfy {
        $0.contains("--simulate") || $0.hasPrefix("apt-get download") || $0.hasPrefix("dpkg -x")
      })
    let said = try #require(first.error.range(of: "unpacking into .build/services"))
    let downloading = try #require(first.error.range(of: "bootstrap: downloading"))
    #expect(said.lowerBound < downloading.lowerBound)
    for name in [
      "nginx", "nghttpx", "prosody", "prometheus", "promtool", "prometheus-alertmanager", "firefox-esr",
      "certutil",
    ] {
      #expect(FileManager.default.isExecutableFile(atPath: directory.file(".build/services/bin/\(name)")))
    }

    try FileManager.default.removeItem(atPath: directory.file("asked"))
    let second = try bootstrap()
    #expect(second.status == 0 && second.error.isEmpty, "\(second.error)")
    #expect(asked.isEmpty)
  }

  @Test("a package that cannot be unpacked is named, with an alternative")
  func noApt() throws {
    let result = try bootstrap()
    #expect(result.status == 1)
    for package in [
      "nginx", "nghttp2-proxy", "prosody", "prometheus", "prometheus-alertmanager", "firefox-esr",
    ] {
      #expect(result.error.contains(package))
    }
    #expect(result.error.contains("install their equivalents"))
  }
}
