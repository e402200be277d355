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
    guard let owner = owner(user), let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    return owner.readBody(
      stream, into: UnsafeMutableBufferPointer(start: buffer, count: length), flags: flags)
  }

  private static func set(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, user in
      guard let header else { return 0 }
      return owner(user)?.frameBegins(header.pointee) ?? 0
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return owner(user)?.headersBegin(frame) ?? 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameLength, value, valueLength, _, user in
      guard let frame else { return 0 }
      return owner(user)?.header(
        frame, name: UnsafeBufferPointer(start: name, count: nameLength),
        value: UnsafeBufferPointer(start: value, count: valueLength)) ?? 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
      owner(user)?.data(stream, UnsafeBufferPointer(start: bytes, count: count)) ?? 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return owner(user)?.frameArrived(frame) ?? 0
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, user in
      guard let frame else { return 0 }
      return owner(user)?.frameInvalid(frame, code: code) ?? 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return owner(user)?.frameWritten(frame) ?? 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
      guard let frame else { return 0 }
      return owner(user)?.frameNotWritten(frame, code: code) ?? 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
      owner(user)?.streamClosed(stream, code: code) ?? 0
    }
    nghttp2_session_callbacks_set_error_callback2(callbacks) { _, _, message, length, user in
      // libnghttp2 quotes names and values of headers, which are the peer's.
      let bytes = UnsafeRawBufferPointer(start: message, count: min(length, 200))
      owner(user)?.complains(EscapedText.make(String(decoding: bytes, as: UTF8.self)))
      return 0
    }
  }
}

/// The session is libnghttp2's user data, unretained: it deletes libnghttp2's session before it goes.
private func owner(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Session? {
  pointer.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}
