import Reactor
import Testing

@Suite struct FilePathTests {
    @Test(
        "directory and name of a path",
        arguments: [
            ("/a/b", "/a", "b"), ("/a/b/", "/a", "b"), ("/a//b//", "/a", "b"), ("/a", "/", "a"), ("/", "/", ""),
            ("//", "/", ""), ("a", ".", "a"), ("a/b", "a", "b"), ("./a", ".", "a"), ("", ".", ""), ("a/", ".", "a"),
            ("/straße/ü.json", "/straße", "ü.json"),
        ])
    func parts(_ path: String, _ directory: String, _ name: String) {
        #expect(FilePath.directory(of: path) == directory)
        #expect(FilePath.name(of: path) == name)
    }

    @Test(
        "a path from the root has no dots and no needless slashes",
        arguments: [
            ("/a/../b/./c/", "/b/c"), ("/..", "/"), ("//a//b", "/a/b"), ("/a/b/../..", "/"), ("/a/...", "/a/..."),
        ])
    func absolute(_ path: String, _ expected: String) { #expect(FilePath.absolute(path) == expected) }

    @Test("a relative path starts from the working directory")
    func relative() {
        let here = FilePath.absolute("")
        #expect(here.hasPrefix("/") && FileSystem.isDirectory(here))
        #expect(FilePath.absolute("a/../b") == (here == "/" ? "/b" : "\(here)/b"))
        #expect(FilePath.absolute(".") == here)
    }
}
