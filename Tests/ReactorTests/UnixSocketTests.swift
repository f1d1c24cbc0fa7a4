import Bytes
import Glibc
import Testing

@testable import Reactor

/// Listeners and connections on unix sockets, in a directory of the test's own.
@Suite final class UnixSocketTests {
    private let directory: String

    init() throws {
        var template = Array("/tmp/reactor-XXXXXX".utf8CString)
        // SAFETY: the template is a local that mkdtemp changes in place.
        let made = unsafe mkdtemp(&template)
        precondition(unsafe made != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // SAFETY: the texts outlive the calls.
        _ = unsafe unlink("\(directory)/s")
        _ = unsafe rmdir(directory)
    }

    private func address() throws -> SocketAddress { try #require(SocketAddress(unixPath: "\(directory)/s")) }

    private func mode() -> UInt32? {
        var status = stat()
        // SAFETY: the text and the structure outlive the call.
        return unsafe lstat("\(directory)/s", &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func pathsAreAddresses() throws {
        let address = try #require(SocketAddress(unixPath: "/run/portcullis.sock"))
        #expect(address.isUnix)
        #expect(!address.isIPv6)
        #expect(address.isLoopback)
        #expect(address.description == "unix:/run/portcullis.sock")
        #expect(SocketAddress(address.storage.0) == address)
        #expect(address != SocketAddress(literal: "0.0.0.0", port: 0))
        let chunk = Chunk(capacity: 16)
        address.appendHost(to: chunk)
        // RFC 7239 section 6.2
        #expect(chunk.text == "unknown")
        #expect(address.host == "unknown")
    }

    @Test func pathsThatTheKernelCannotTakeAreRefused() throws {
        #expect(SocketAddress(unixPath: "") == nil)
        #expect(SocketAddress(unixPath: "/run/a\u{0}b") == nil)
        #expect(SocketAddress(unixPath: "/" + String(repeating: "x", count: 107)) == nil)
        let longest = try #require(SocketAddress(unixPath: "/" + String(repeating: "x", count: 106)))
        #expect(SocketAddress(longest.storage.0) == longest)
    }

    @Test func bytesPassBothWays() throws {
        let loop = try Loop()
        let bound = try BoundListener(try address(), mode: 0o620)
        #expect(bound.address.description == "unix:\(directory)/s")
        #expect(mode() == 0o620)
        let file = try #require(SocketFile(bound.address))
        try loop.poller.listen(bound, id: 8)
        let client = try loop.poller.connect(to: try address())
        var server: Socket?
        var kinds: [String] = []
        loop.turn(until: { server != nil && kinds.contains("connected") }) {
            kinds.append($0.kind)
            if case .accepted(8, let socket) = $0 { server = socket }
        }
        let accepted = try #require(server)
        #expect(accepted.peer?.isUnix == true)
        #expect(accepted.peer?.description == "unix:")
        loop.poller.send(client, loop.chunk("question"))
        loop.turn(until: { accepted.unread == 8 })
        loop.poller.send(accepted, loop.chunk("answer"))
        loop.turn(until: { client.unread == 6 })
        loop.poller.close(accepted)
        loop.poller.close(client)
        loop.poller.stopListening { $0 == 8 }
        let target = try address()
        #expect(comesTrue { (try? loop.poller.connect(to: target)).map { loop.poller.close($0) } == nil })
        #expect(comesTrue { remove(file) })
    }

    private func remove(_ file: SocketFile) -> Bool {
        file.remove()
        return mode() == nil
    }

    @Test func aFileLeftBehindIsReplaced() throws {
        do { _ = try BoundListener(try address()) }
        #expect(mode() != nil, "the file outlives its socket")
        let old = try #require(SocketFile(try address()))
        let left = try address()
        #expect(comesTrue { (try? BoundListener.checkFree(left)) != nil })
        let fresh = try BoundListener(try address())
        #expect(fresh.address == (try address()))
        // What is another's by now is left alone.
        old.remove()
        #expect(mode() != nil)
        let file = try #require(SocketFile(try address()))
        file.remove()
        #expect(mode() != nil, "somebody listens")
        _ = consume fresh
        #expect(comesTrue { remove(file) })
    }

    @Test func aLiveListenerIsNotReplaced() throws {
        let first = try BoundListener(try address())
        #expect(throws: KernelError(EADDRINUSE)) { try BoundListener.checkFree(try self.address()) }
        #expect(throws: KernelError(EADDRINUSE)) { _ = try BoundListener(try self.address()) }
        #expect(mode() != nil)
        _ = consume first
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() throws {
        do {
            let draft = try AtomicFile(of: "\(directory)/s")
            try draft.write(Array("precious".utf8))
            try draft.replace()
        }
        #expect(throws: KernelError(EADDRINUSE)) { _ = try BoundListener(try self.address()) }
        #expect(mode() == 0o600)
    }
}
