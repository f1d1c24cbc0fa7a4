import Foundation
import Reactor
import TestSupport
import Testing

@Suite struct FileSystemTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    private func error(_ body: () throws(KernelError) -> Void) -> Int32 {
        do throws(KernelError) {
            try body()
            return 0
        } catch {
            return error.code
        }
    }

    @Test("a device without an end is too large")
    func endless() {
        let endless = error { () throws(KernelError) in _ = try FileSystem.read("/dev/zero", acceptsPipes: true) }
        #expect(endless == EFBIG)
    }

    @Test("a file is a regular one, unless pipes are accepted")
    func kinds() throws {
        for path in ["/dev/zero", "/dev/null"] {
            let device = error { () throws(KernelError) in _ = try FileSystem.read(path) }
            #expect(KernelError(device).text == "Not a regular file")
        }
        #expect(try FileSystem.read("/dev/null", acceptsPipes: true).isEmpty)
        #expect(error { () throws(KernelError) in _ = try FileSystem.read("/tmp") } == EISDIR)
    }

    @Test("a file of any length is read whole", arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func length(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(bytes).write(to: URL(filePath: "\(path)/file"))
        #expect(try FileSystem.read("\(path)/file") == bytes)
    }

    @Test("errors are those of the system")
    func errors() throws {
        try write("text", "file")
        try link("loop", to: "loop")
        #expect(error { () throws(KernelError) in _ = try FileSystem.read("\(path)/none") } == ENOENT)
        #expect(error { () throws(KernelError) in _ = try FileSystem.read(path) } == EISDIR)
        #expect(error { () throws(KernelError) in _ = try FileSystem.read("\(path)/file/below") } == ENOTDIR)
        #expect(error { () throws(KernelError) in _ = try FileSystem.read("\(path)/loop") } == ELOOP)
        #expect(error { () throws(KernelError) in _ = try FileSystem.names(in: "\(path)/file") } == ENOTDIR)
        #expect(error { () throws(KernelError) in try FileSystem.append([1], to: "\(path)/none") } == ENOENT)
        #expect(error { () throws(KernelError) in try FileSystem.remove("\(path)/none") } == ENOENT)
        #expect(error { () throws(KernelError) in try FileSystem.makeDirectory("\(path)/file") } == EEXIST)
        #expect(error { () throws(KernelError) in try FileSystem.makeDirectory("\(path)/file/below") } == ENOTDIR)
        #expect(error { () throws(KernelError) in _ = try FileStatus("\(path)/none") } == ENOENT)
    }

    @Test("a path with NUL names no file, where the C library would read the part before it")
    func nul() throws {
        try write("text", "file")
        let path = "\(path)/file\0more"
        #expect(error { () throws(KernelError) in _ = try FileSystem.read(path) } == EINVAL)
        #expect(error { () throws(KernelError) in try FileSystem.append([1], to: path) } == EINVAL)
        #expect(error { () throws(KernelError) in try FileSystem.remove(path) } == EINVAL)
        #expect(!FileSystem.exists(path) && !FileSystem.isWritable(path))
        #expect(try FileSystem.read("\(self.path)/file") == Array("text".utf8))
    }

    @Test("missing directories are made with their mode, existing ones are left alone")
    func directories() throws {
        try FileSystem.makeDirectory("\(path)/a", mode: 0o755)
        try FileSystem.makeDirectory("\(path)/a/b/c/", mode: 0o700)
        #expect(try FileStatus("\(path)/a").mode == 0o755)
        #expect(try FileStatus("\(path)/a/b").mode == 0o700)
        #expect(try FileStatus("\(path)/a/b/c").mode == 0o700)
        try FileSystem.makeDirectory("\(path)/a", mode: 0o700)
        #expect(try FileStatus("\(path)/a").mode == 0o755)
        try link("link", to: "a")
        try FileSystem.makeDirectory("\(path)/link/d", mode: 0o700)
        #expect(try FileSystem.names(in: "\(path)/a").sorted() == ["b", "d"])
    }

    @Test("a status is that of the target, or of the link")
    func status() throws {
        try write("text", "file")
        try FileSystem.setMode(0o640, of: "\(path)/file")
        try link("link", to: "file")
        let status = try FileStatus("\(path)/link")
        #expect(status.kind == .regular && status.mode == 0o640 && status.owner == geteuid())
        #expect(abs(status.modified - Clock.machineMilliseconds / 1000) < 3600)
        #expect(try FileStatus("\(path)/link", followsLinks: false).kind == .symbolicLink)
        #expect(try FileStatus(path).kind == .directory)
        #expect(try FileStatus("/dev/null").kind == .other)
        try FileSystem.remove("\(path)/link")
        #expect(try FileSystem.names(in: path) == ["file"])
    }

    @Test("a path is resolved through links, also to a file that is missing")
    func resolved() throws {
        let place = FileSystem.resolved(path)
        try FileSystem.makeDirectory("\(path)/real")
        try write("text", "real/file")
        try link("folder", to: "real")
        try link("first", to: "folder/second")
        try link("real/second", to: "file")
        try link("dangling", to: "real/later")
        try link("absolute", to: "\(path)/none")
        try link("loop", to: "loop")
        for (name, target) in [
            ("real/file", "real/file"), ("folder/file", "real/file"), ("first", "real/file"), ("folder", "real"),
            ("dangling", "real/later"), ("none", "none"), ("absolute", "none"), ("real/../real/file", "real/file"),
        ] {
            #expect(FileSystem.resolved("\(place)/\(name)") == "\(place)/\(target)")
        }
        #expect(FileSystem.resolved("\(place)/loop").hasSuffix("/loop"))
    }

    @Test("a temporary directory is its owner's alone, and goes with its files")
    func temporaryDirectory() throws {
        let made = try FileSystem.makeTemporaryDirectory("portcullis-files")
        #expect(try FileStatus(made).mode == 0o700)
        try Data([1]).write(to: URL(filePath: "\(made)/file"))
        try FileSystem.append([2, 3], to: "\(made)/file")
        #expect(try FileSystem.read("\(made)/file") == [1, 2, 3])
        try FileSystem.removeDirectory(made)
        #expect(!FileSystem.exists(made))
    }

    /// Whether the lock of the directory is free.
    private func isFree(_ path: String, milliseconds: Int64) throws(KernelError) -> Bool {
        guard let lock = try FileLock.onDirectory(path, milliseconds: milliseconds) else { return false }
        lock.release()
        return true
    }

    @Test("the lock of a directory is given up after a while, and free once it is released")
    func lock() throws {
        guard let held = try FileLock.onDirectory(path, milliseconds: 0) else {
            Issue.record("it is not free")
            return
        }
        #expect(try !isFree(path, milliseconds: 60))
        held.release()
        #expect(try isFree(path, milliseconds: 0))
        #expect(error { () throws(KernelError) in _ = try isFree("\(path)/none", milliseconds: 0) } == ENOENT)
    }

    @Test("the environment is that of the process")
    func environment() {
        #expect(Environment.values == ProcessInfo.processInfo.environment)
        #expect(Environment.values["PATH"]?.isEmpty == false)
    }
}
