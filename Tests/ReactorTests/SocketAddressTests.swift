import Bytes
import TestSupport
import Testing

@testable import Reactor

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("255.255.255.255", "255.255.255.255:80"),
        ("::1", "[::1]:80"), ("::", "[::]:80"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"),
        ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]:80"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:80"),
    ])
    func literalsAreReadAndWritten(_ literal: String, _ description: String) throws {
        let address = try #require(SocketAddress(literal: literal, port: 80))
        #expect(address.description == description)
        #expect(address.isIPv6 == literal.contains(":"))
        let chunk = Chunk(capacity: 64)
        address.appendHost(to: chunk)
        #expect(chunk.text == address.host)
        #expect(SocketAddress(literal: address.host, port: 80) == address)
    }

    @Test(arguments: [
        "", " ", "localhost", "127.0.0", "127.0.0.1 ", "127.0.0.256", "127.0.0.01", "127.1", "0x7f.0.0.1", "1.2.3.4.5",
        "[::1]", "::1%lo", ":::", "1::2::3", "12345::", "127.0.0.1:80", "127.0.0.1\u{0}x",
    ])
    func whatIsNoLiteralIsRefused(_ text: String) {
        #expect(SocketAddress(literal: text, port: 1) == nil)
    }

    @Test func loopbackIsToldApart() {
        let expected: [(String, Bool)] = [
            ("127.0.0.1", true), ("127.255.0.9", true), ("126.0.0.1", false), ("128.0.0.1", false), ("::1", true),
            ("::", false), ("::2", false), ("7f00::1", false),
        ]
        for (literal, isLoopback) in expected {
            #expect(SocketAddress(literal: literal, port: 1)?.isLoopback == isLoopback, "\(literal)")
        }
    }

    /// Through the kernel's form and back, with both bytes of the port in their place.
    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::8a2e:370:7334"])
    func theKernelsFormRoundTrips(_ literal: String) throws {
        for port: UInt16 in [0, 1, 80, 256, 65_535] {
            let address = try #require(SocketAddress(literal: literal, port: port))
            #expect(SocketAddress(address.storage.0) == address)
        }
    }

    /// The same octets mean another address in another family, and another endpoint at another port.
    @Test func equalityLooksAtEverything() throws {
        let four = try #require(SocketAddress(literal: "1.2.3.4", port: 5))
        let six = try #require(SocketAddress(literal: "102:304::", port: 5))
        #expect(four.words == six.words)
        #expect(four != six)
        #expect(four != SocketAddress(literal: "1.2.3.4", port: 6))
    }

    @Test func aListenerKnowsThePortItWasGiven() throws {
        let wanted = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
        let first = try BoundListener(wanted)
        let address = first.address
        #expect(address.port != 0)
        // Every worker has a listener of its own on the same port.
        let second = try BoundListener(address)
        #expect(second.address == address)
    }

    @Test func aPortInUseIsReported() throws {
        let other = PeerListener()
        let wanted = try #require(SocketAddress(literal: "127.0.0.1", port: other.port))
        do throws(KernelError) {
            _ = try BoundListener(wanted)
            Issue.record("bound twice")
        } catch {
            #expect(error.isAddressInUse)
            #expect(!error.text.isEmpty)
        }
    }
}

extension Chunk {
    /// The unread bytes as text.
    var text: String {
        let bytes = readable
        return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}
