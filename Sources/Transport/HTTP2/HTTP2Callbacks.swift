import CNghttp2
import Measurement
import Providers

/// libnghttp2's callbacks: each finds its session and hands its arguments on as Swift values.
enum HTTP2Callbacks {
  /// libnghttp2 states an error's words.
  static func text(of code: Int32) -> String { String(cString: nghttp2_strerror(code)) }

  static func makeSession(for owner: HTTP2Session) throws -> OpaquePointer {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    var session: OpaquePointer?
    defer {
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(options)
    }
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else {
      throw HTTP2SessionFailure(code: .outOfMemory, detail: text(of: NGHTTP2_ERR_NOMEM.rawValue))
    }
    // Streams that are over are not kept for priorities, which nobody asks for.
    nghttp2_option_set_no_closed_streams(options, 1)
    set(callbacks)
    let result = nghttp2_session_client_new2(
      &session, callbacks, Unmanaged.passUnretained(owner).toOpaque(), options)
    guard result == 0, let session else {
      throw HTTP2SessionFailure(code: .outOfMemory, detail: text(of: result))
    }
    return session
  }

  static let readBody: nghttp2_data_source_read_callback = { _, stream, buffer, length, flags, _, user in
    guard let user, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    return withOwner(user) {
      $0.readBody(stream, into: UnsafeMutableBufferPointer(start: buffer, count: length), flags: flags)
    }
  }

  private static func set(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, user in
      guard let header, let user else { return 0 }
      return withOwner(user) { $0.frameBegins(header.pointee) }
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) { $0.headersBegin(frame) }
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameLength, value, valueLength, _, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) {
        $0.header(
          frame, name: UnsafeBufferPointer(start: name, count: nameLength),
          value: UnsafeBufferPointer(start: value, count: valueLength))
      }
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
      guard let user else { return 0 }
      return withOwner(user) { $0.data(stream, UnsafeBufferPointer(start: bytes, count: count)) }
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) { $0.frameArrived(frame) }
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) { $0.frameInvalid(frame, code: code) }
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) { $0.frameWritten(frame) }
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
      guard let frame, let user else { return 0 }
      return withOwner(user) { $0.frameNotWritten(frame, code: code) }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
      guard let user else { return 0 }
      return withOwner(user) { $0.streamClosed(stream, code: code) }
    }
    nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, message, length, user in
      // libnghttp2 quotes names and values of headers, which are the peer's.
      let bytes = UnsafeRawBufferPointer(start: message, count: min(length, 200))
      guard let user else { return 0 }
      withOwner(user) { $0.complains(EscapedText.make(String(decoding: bytes, as: UTF8.self))) }
      return 0
    }
  }
}

/// Calls the session that is libnghttp2's user data. It deletes libnghttp2's session before it goes, so the call, of which there
/// are a dozen a request, does not retain it.
@inline(__always)
private func withOwner<Result>(_ user: UnsafeMutableRawPointer, _ body: (HTTP2Session) -> Result) -> Result {
  Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}
