extension AnimationBlock {
  /// Moves an item whose model has just jumped: on screen it stays where it was and comes after.
  func addFrameTrack(_ item: LayoutItem, delta: SIMD4<Double>, window: Window) {
    guard motionLevel == .full else { return }
    register(AnimationTrack(.frame, item, delta: delta), in: window)
  }

  func addAppearanceTrack(
    _ property: AnimationTrack.Property, _ view: View, delta: SIMD8<Double>, window: Window
  ) {
    guard motionLevel == .full || motionLevel == .basic && property != .transform else { return }
    register(AnimationTrack(property, view, delta: delta), in: window)
  }

  private func register(_ fresh: AnimationTrack, in window: Window) {
    var track = fresh
    if options.contains(.beginFromCurrentState) {
      let (delta, velocity) = window.takeOver(track.property, of: track.item, except: self)
      track.delta += delta
      track.velocity += sampler.isSpring ? velocity : .zero
      track.add(fresh.delta)
    } else {
      track.add(track.delta)
    }
    if let index = index(of: track) {
      tracks[index].delta += track.delta
      tracks[index].velocity += track.velocity
    } else {
      tracks.append(track)
    }
    if track.property == .frame { track.item.newestFrameBlock = id }
    window.invalidate(track.item)
  }

  /// Where the same property of the same item is already. Frames, of which there are many, are only looked for when
  /// this block has one.
  private func index(of track: AnimationTrack) -> Int? {
    if track.property == .frame, track.item.newestFrameBlock != id { return nil }
    return tracks.firstIndex { $0.item === track.item && $0.property == track.property }
  }
}
