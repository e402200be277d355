import Configuration
import Measurement
import NIOCore

/// The way to the service: holds what comes from a client, in order, before TLS sees it. Handshakes, requests and PING are
/// late by the same time, as behind a slow network; TCP's own acknowledgments are not.
final class DelayedPath: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let service: PushService
  private let connection: Int
  private var generator: SeededGenerator
  /// When the last part held, or the next one, is passed on at the earliest.
  private var free = NIODeadline.uptimeNanoseconds(0)
  private var held = CircularBuffer<(due: NIODeadline, bytes: ByteBuffer)>()
  private var isScheduled = false

  /// - Parameter connection: its number; seeds the delays.
  init(connection: Int, service: PushService) {
    self.connection = connection
    self.service = service
    generator = SeededGenerator(
      seed: service.seed, stream: UInt64(connection) | 5 << 56)
  }

  func channelActive(context: ChannelHandlerContext) {
    free = .now() + TimeAmount(service.handshakeDelay(ofConnection: connection))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let due = max(free, .now() + TimeAmount(service.pathDelay(using: &generator)))
    guard !held.isEmpty || due > .now() else { return context.fireChannelRead(data) }
    free = due
    held.append((due, unwrapInboundIn(data)))
    schedule(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    held.removeAll()
    context.fireChannelInactive()
  }

  private func schedule(_ context: ChannelHandlerContext) {
    guard !isScheduled, let next = held.first?.due else { return }
    isScheduled = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(deadline: next) {
      let (path, context) = bound.value
      path.isScheduled = false
      path.pass(context)
    }
  }

  private func pass(_ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    while let next = held.first, next.due <= now {
      held.removeFirst()
      context.fireChannelRead(wrapInboundOut(next.bytes))
    }
    context.fireChannelReadComplete()
    schedule(context)
  }
}
