import Glibc
import TestKit
import Testing
import Threads

@Suite("What is kept in the state's directory") struct StateDirectoryTests {
  private func make(_ name: String, in directory: TemporaryDirectory, written: Int) throws {
    let path = directory.path + "/" + name
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    close(file)
    let times = [timeval(tv_sec: written, tv_usec: 0), timeval(tv_sec: written, tv_usec: 0)]
    try #require(utimes(path, times) == 0)
  }

  @Test func theNewestStay() throws {
    let directory = try TemporaryDirectory()
    for number in 1...5 { try make("\(number).log", in: directory, written: 1000 * number) }
    try make("old.txt", in: directory, written: 1)
    try #require(mkdir(directory.path + "/a.log", 0o700) == 0)
    StateDirectory.keepNewest(2, in: directory.path, ending: ".log")
    let files = StateDirectory.files(in: directory.path)
    #expect(files.map(\.name) == ["5.log", "4.log", "old.txt"])
    #expect(files.map(\.written) == [5000, 4000, 1])
    #expect(access(directory.path + "/a.log", F_OK) == 0)
    #expect(StateDirectory.files(in: directory.path + "/none").isEmpty)
  }
}
