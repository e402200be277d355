import Measurement

extension YAMLValue {
  /// Reads a path, relative ones from the file's directory, to a file that is there and can be read.
  public func file(maximumBytes: Int = 1024 * 1024) -> String? {
    guard let path = filePath(), contents(of: path, maximumBytes: maximumBytes) != nil else { return nil }
    return path
  }

  /// Reads a path and the content of the file there.
  public func fileContents(maximumBytes: Int) -> [UInt8]? {
    guard let path = filePath() else { return nil }
    return contents(of: path, maximumBytes: maximumBytes)
  }

  /// Reads a path to a secret: there, not empty, at least `minimumBytes`, and readable by its owner alone.
  public func secretFile(minimumBytes: Int = 1) -> SecretFile? {
    guard let path = filePath() else { return nil }
    let file = SecretFile(path: path)
    do throws(FileReadError) {
      let count = try file.read().count
      guard count >= minimumBytes else {
        report(
          "\"\(path.visiblePath)\" holds \(CountText.text(count, "byte")), too few for a secret",
          remedy: "put in at least \(minimumBytes), for example: openssl rand -hex 32")
        return nil
      }
      return file
    } catch {
      report(error.message, remedy: error.remedy)
      return nil
    }
  }

  /// Reads a path without looking whether there is anything.
  public func filePath() -> String? {
    guard let text = string() else { return nil }
    return context.resolve(text)
  }

  private func contents(of path: String, maximumBytes: Int) -> [UInt8]? {
    do throws(FileReadError) {
      let bytes = try ReadFile(path: path, maximumBytes: maximumBytes).bytes
      guard !bytes.isEmpty else { throw FileReadError(code: .empty, path: path) }
      return bytes
    } catch {
      report(error.message, remedy: error.remedy)
      return nil
    }
  }
}
