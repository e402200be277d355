import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// The page that a device opens, with its worker: what is embedded in the program, and how it is served.
///
/// Nothing is loaded from elsewhere, and no other site may show the page in a frame.
struct DevicePage {
  static let path = "/device/"

  private struct Asset {
    let type: String
    let bytes: ByteBuffer
  }

  private static let assets: [String: Asset] = [
    "device.css": Asset(
      type: "text/css; charset=utf-8", bytes: ByteBuffer(bytes: PackageResources.device_css)),
    "device.js": Asset(
      type: "text/javascript; charset=utf-8", bytes: ByteBuffer(bytes: PackageResources.device_js)),
    "worker.js": Asset(
      type: "text/javascript; charset=utf-8", bytes: ByteBuffer(bytes: PackageResources.worker_js)),
    "icon.png": Asset(type: "image/png", bytes: ByteBuffer(bytes: PackageResources.icon_png)),
  ]

  /// Where the page has the key that it subscribes for.
  private static let keyPlace = "APPLICATION_SERVER_KEY"

  private static let headers: HPACKHeaders = [
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
      + "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store",
  ]

  private let page: ByteBuffer

  /// - Parameter applicationServerKey: base64url.
  init(applicationServerKey: String) {
    let html = String(decoding: PackageResources.device_html, as: UTF8.self)
    page = ByteBuffer(string: html.replacing(Self.keyPlace, with: applicationServerKey))
  }

  /// The answer to a GET below ``path``; `nil` where there is nothing.
  /// - Parameter isInvited: whether a token is that of an open invitation.
  func answer(_ path: Substring, query: Substring, isInvited: (String) -> Bool) -> HTTPResponse? {
    if path == "/device" {
      var headers = Self.headers
      headers.add(name: "location", value: Self.path)
      return HTTPResponse(status: 308, headers: headers)
    }
    let name = path.dropFirst(Self.path.count)
    if name.isEmpty { return Self.response("text/html; charset=utf-8", page) }
    if name == "manifest.webmanifest" { return Self.manifest(query, isInvited) }
    return Self.assets[String(name)].map { Self.response($0.type, $0.bytes) }
  }

  private static func response(_ type: String, _ bytes: ByteBuffer) -> HTTPResponse {
    var headers = headers
    headers.add(name: "content-type", value: type)
    return HTTPResponse(status: 200, headers: headers, body: bytes)
  }

  /// The manifest. An iPhone gives push to home-screen apps alone, whose storage is their own: they begin with the invitation.
  private static func manifest(_ query: Substring, _ isInvited: (String) -> Bool) -> HTTPResponse {
    let given = query.hasPrefix("token=") ? String(query.dropFirst("token=".count)) : ""
    let token =
      given.utf8.count <= 64 && given.utf8.allSatisfy(ASCII.isBase64URL) && isInvited(given) ? given : ""
    let start = token.isEmpty ? path : "\(path)#\(token)"
    return response(
      "application/manifest+json",
      ByteBuffer(
        string: """
          {"name":"pushscope","short_name":"pushscope","start_url":"\(start)","scope":"\(path)","display":"standalone",\
          "icons":[{"src":"\(path)icon.png","sizes":"192x192","type":"image/png"}]}
          """))
  }
}
