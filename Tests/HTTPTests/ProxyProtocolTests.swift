import Bytes
import Model
import Testing

@testable import HTTP

/// `doc/proxy-protocol.txt` of HAProxy; sections of it in names.
@Suite struct ProxyProtocolTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private func parse(_ bytes: [UInt8]) -> ProxyProtocol.Outcome { ProxyProtocol.parse(bytes.span) }
    private func parse(_ text: String) -> ProxyProtocol.Outcome { parse(text.bytes) }

    /// Every beginning of a header wants more, and the header means the same before any other bytes.
    private func expectWhole(
        _ bytes: [UInt8], _ outcome: ProxyProtocol.Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for count in 0..<bytes.count {
            #expect(parse(Array(bytes[..<count])) == .needMore, "first \(count)", sourceLocation: sourceLocation)
        }
        #expect(parse(bytes) == outcome, sourceLocation: sourceLocation)
        #expect(parse(bytes + "GET / HTTP/1.1\r\n".bytes) == outcome, sourceLocation: sourceLocation)
        #expect(parse(bytes + bytes) == outcome, sourceLocation: sourceLocation)
    }

    private func endpoint(_ text: String, _ port: UInt16) throws -> ProxyProtocol.Endpoint {
        ProxyProtocol.Endpoint(address: try #require(IPAddress(text)), port: port)
    }

    // MARK: Version 1

    @Test(
        "2.1: lines, cut at every byte",
        arguments: [
            ("TCP4 192.0.2.1 198.51.100.2 56324 443", "192.0.2.1", 56324, "198.51.100.2", 443),
            ("TCP4 255.255.255.255 255.255.255.255 65535 65535", "255.255.255.255", 65535, "255.255.255.255", 65535),
            ("TCP4 0.0.0.0 0.0.0.0 0 0", "0.0.0.0", 0, "0.0.0.0", 0),
            ("TCP6 2001:db8::1 ::1 1 65535", "2001:db8::1", 1, "::1", 65535),
            ("TCP6 ::ffff:192.0.2.1 ::1 1 2", "192.0.2.1", 1, "::1", 2),
        ] as [(String, String, UInt16, String, UInt16)])
    func line(_ text: String, _ source: String, _ port: UInt16, _ destination: String, _ toPort: UInt16) throws {
        let bytes = "PROXY \(text)\r\n".bytes
        let outcome = ProxyProtocol.Outcome.proxied(
            length: bytes.count, source: try endpoint(source, port), destination: try endpoint(destination, toPort))
        expectWhole(bytes, outcome)
    }

    @Test(
        "2.1: UNKNOWN names no client",
        arguments: ["UNKNOWN", "UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535", "UNKNOWN  x"])
    func unknown(_ text: String) {
        let bytes = "PROXY \(text)\r\n".bytes
        expectWhole(bytes, .local(length: bytes.count))
    }

    @Test(
        "2.1: what is no header",
        arguments: [
            "GET / HTTP/1.1\r\n", "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY\r\n", "PROXY \r\n", "PROXY TCP4\r\n",
            "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n", "PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP6 1.2.3.4 ::1 1 2\r\n",
            "PROXY TCP6 [::1] ::1 1 2\r\n", "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n",
            "PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UNKNOWNX\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\r\n",
            "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rX", "PROXY TCP4\t1.2.3.4 1.2.3.4 1 2\r\n", " PROXY UNKNOWN\r\n",
            "PROXY UNKNOWN \u{7f}\r\n", "PROXY UNKNOWN \0\r\n", "PROXY UNKNOWN é\r\n",
        ])
    func malformedLine(_ text: String) { #expect(parse(text) == .invalid) }

    @Test("2.1: a line has 107 bytes at the most")
    func longLine() {
        let longest = "PROXY UNKNOWN " + String(repeating: "x", count: 107 - 16) + "\r\n"
        expectWhole(longest.bytes, .local(length: 107))
        let longer = "PROXY UNKNOWN " + String(repeating: "x", count: 108 - 16) + "\r\n"
        #expect(parse(longer) == .invalid)
        #expect(parse(String(longer.dropLast(1))) == .invalid)
    }

    @Test("a wrong first byte is enough")
    func early() {
        #expect(parse("X") == .invalid)
        #expect(parse("PX") == .invalid)
        #expect(parse("PRI * HTTP/2.0\r\n\r\n") == .invalid)
        #expect(parse([22, 3, 1, 2, 0]) == .invalid)
        #expect(parse("\r\n\r\nGET") == .invalid)
    }

    // MARK: Version 2

    private func header(_ command: UInt8, _ family: UInt8, _ block: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? block.count
        return Self.signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + block
    }

    private static let addresses4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 2, 0xdc, 0x04, 0x01, 0xbb]
    private static let addresses6: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 0, count: 15) + [1]
        + [0, 1, 0xff, 0xff]

    @Test("2.2: TCP over IPv4 and IPv6, cut at every byte, with vectors behind the addresses")
    func binary() throws {
        let noop: [UInt8] = [0x04, 0, 3, 0, 0, 0]
        let authority: [UInt8] = [0x02, 0, 4] + "a.io".bytes
        for vectors in [[], noop, noop + authority, [0xea, 0, 0]] {
            let v4 = header(0x21, 0x11, Self.addresses4 + vectors)
            expectWhole(
                v4,
                .proxied(
                    length: v4.count, source: try endpoint("192.0.2.1", 56324),
                    destination: try endpoint("198.51.100.2", 443)))
            let v6 = header(0x21, 0x21, Self.addresses6 + vectors)
            expectWhole(
                v6,
                .proxied(
                    length: v6.count, source: try endpoint("2001:db8::1", 1), destination: try endpoint("::1", 65535)))
        }
    }

    @Test("2.2: headers that name no client")
    func local() {
        let path = [UInt8](repeating: 97, count: 216)
        for bytes in [
            header(0x20, 0x00, []), header(0x20, 0x11, Self.addresses4), header(0x20, 0xff, [1, 2, 3]),
            header(0x21, 0x00, []), header(0x21, 0x31, path), header(0x21, 0x00, [0x04, 0, 0]),
        ] { expectWhole(bytes, .local(length: bytes.count)) }
    }

    @Test("2.2: versions, commands and families that are not known, and blocks that are too short")
    func malformedBinary() {
        for bytes in [
            header(0x11, 0x11, Self.addresses4), header(0x31, 0x11, Self.addresses4),
            header(0x22, 0x11, Self.addresses4), header(0x2f, 0x11, Self.addresses4),
            header(0x01, 0x11, Self.addresses4), header(0x21, 0x41, Self.addresses4),
            header(0x21, 0x12, Self.addresses4), header(0x21, 0x10, Self.addresses4),
            header(0x21, 0x22, Self.addresses6), header(0x21, 0x21, Self.addresses4),
            header(0x21, 0x11, Array(Self.addresses4.dropLast())), header(0x21, 0x31, Self.addresses6),
            header(0x21, 0x11, []),
        ] { #expect(parse(bytes) == .invalid) }
        #expect(parse(Self.signature + [0x31]) == .invalid, "as soon as it is known")
        #expect(parse(header(0x21, 0x11, [], length: 4081)) == .invalid)
        #expect(parse(header(0x21, 0x11, [], length: 0xffff)) == .invalid)
        #expect(parse(header(0x21, 0x11, [], length: 4080)) == .needMore)
    }

    @Test("2.2.1: vectors fill the header exactly")
    func vectors() {
        for vectors in [
            [0x04], [0x04, 0], [0x04, 0, 1], [0x04, 0, 0, 0x04], [0x02, 0xff, 0xff, 1], [0x03, 0, 3, 0, 0, 0],
        ] as [[UInt8]] { #expect(parse(header(0x21, 0x11, Self.addresses4 + vectors)) == .invalid) }
    }

    @Test("2.2.4: the checksum is verified")
    func checksum() throws {
        func crc32c(_ bytes: [UInt8]) -> UInt32 { ProxyProtocol.crc32c(bytes.span, zeroed: 0..<0) }
        #expect(crc32c("123456789".bytes) == 0xe306_9283)
        #expect(crc32c([]) == 0)
        let vector: [UInt8] = [0x03, 0, 4, 0, 0, 0, 0]
        var bytes = header(0x21, 0x11, Self.addresses4 + vector + [0x04, 0, 1, 7])
        let place = 16 + 12 + 3
        let sum = crc32c(bytes)
        #expect(parse(bytes) == .invalid)
        for i in 0..<4 { bytes[place + i] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * i)) }
        expectWhole(
            bytes,
            .proxied(
                length: bytes.count, source: try endpoint("192.0.2.1", 56324),
                destination: try endpoint("198.51.100.2", 443)))
        for i in 16..<28 {
            var changed = bytes
            changed[i] ^= 1
            #expect(parse(changed) == .invalid)
        }
        let twice = header(0x21, 0x11, Self.addresses4 + vector + vector)
        #expect(parse(twice) == .invalid)
    }

    @Test("no input makes it fall over, and an answer never changes as more comes")
    func garbage() {
        var random = SeededRandom(seed: 11)
        let seeds = [
            "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n".bytes, header(0x21, 0x11, Self.addresses4 + [4, 0, 0]),
            header(0x21, 0x21, Self.addresses6),
        ]
        for _ in 0..<2000 {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let whole = parse(bytes)
            for count in 0..<bytes.count {
                let partial = parse(Array(bytes[..<count]))
                if partial != .needMore { #expect(partial == whole) }
            }
        }
    }
}
