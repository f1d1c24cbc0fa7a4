import Bytes
import Model
import Testing

@testable import HTTP

/// The walk over what trusted proxies say. 10.0.0.0/8 and fd00::/8 are trusted here; the peer is 10.0.0.1.
@Suite struct ForwardedFieldsTests {
    private struct Reading: Equatable {
        var client: String
        var chain: String
        var isSecure: Bool?
        var host: String?
        var port: UInt16?
    }

    private static let trusted = ["10.0.0.0/8", "fd00::/8"].compactMap { text in
        let bytes = text.bytes
        return IPAddressRange(text: bytes.span)
    }

    private func read(
        _ fields: String, family: ForwardedFamily = .xForwarded, peer: String = "10.0.0.1"
    ) throws -> Reading {
        let head = try Head(fields)
        let peer = try #require(IPAddress(peer))
        let chain = Chunk(capacity: 1)
        let result = ForwardedFields.read(
            head.table, head.bytes.span, family: family, peer: peer, chain: chain,
            trusted: Self.trusted)
        return Reading(
            client: result.client.description, chain: chain.text, isSecure: result.isSecure,
            host: text(result.host, head.bytes), port: result.port)
    }

    @Test(
        "X-Forwarded-For is walked from right to left",
        arguments: [
            // Without fields, the peer is the client.
            ("X: y", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For:", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7", "192.0.2.7", "192.0.2.7, 10.0.0.1"),
            // What stands in front of the first untrusted address does not come from a trusted peer.
            ("X-Forwarded-For: 10.9.9.9, 192.0.2.7", "192.0.2.7", "192.0.2.7, 10.0.0.1"),
            ("X-Forwarded-For: 1.1.1.1, 192.0.2.7, 10.0.0.3", "192.0.2.7", "192.0.2.7, 10.0.0.3, 10.0.0.1"),
            (
                "X-Forwarded-For: spoof, 192.0.2.7 ,10.0.0.3,10.0.0.2", "192.0.2.7",
                "192.0.2.7, 10.0.0.3, 10.0.0.2, 10.0.0.1"
            ),
            // All are trusted: the farthest of them asks for itself.
            ("X-Forwarded-For: 10.0.0.3, 10.0.0.2", "10.0.0.3", "10.0.0.3, 10.0.0.2, 10.0.0.1"),
            // A malformed element ends the walk, and what is left of it is not believed.
            ("X-Forwarded-For: 192.0.2.7, unknown", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7, unknown, 10.0.0.3", "10.0.0.3", "10.0.0.3, 10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7, 1.2.3.4.5", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7 192.0.2.8", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: 01.2.3.4", "10.0.0.1", "10.0.0.1"),
            // An open quote of the client does not swallow what was appended behind it.
            ("X-Forwarded-For: \", 192.0.2.7", "192.0.2.7", "192.0.2.7, 10.0.0.1"),
            ("X-Forwarded-For: \"a, 192.0.2.7\"", "10.0.0.1", "10.0.0.1"),
            // Empty elements are none (RFC 9110 5.6.1).
            ("X-Forwarded-For: , 192.0.2.7,,10.0.0.2 ,", "192.0.2.7", "192.0.2.7, 10.0.0.2, 10.0.0.1"),
            // All field lines, in order.
            (
                "X-Forwarded-For: 1.1.1.1\r\nX: y\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-For: 10.0.0.2",
                "192.0.2.7",
                "192.0.2.7, 10.0.0.2, 10.0.0.1"
            ),
            // Ports and IPv6 in all their forms.
            ("X-Forwarded-For: 192.0.2.7:50001", "192.0.2.7", "192.0.2.7, 10.0.0.1"),
            ("X-Forwarded-For: [2001:db8::7]:50001", "2001:db8::7", "2001:db8::7, 10.0.0.1"),
            ("X-Forwarded-For: [2001:DB8::7]", "2001:db8::7", "2001:db8::7, 10.0.0.1"),
            ("X-Forwarded-For: 2001:db8::7, fd00::2", "2001:db8::7", "2001:db8::7, fd00::2, 10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7, ::ffff:10.0.0.2", "192.0.2.7", "192.0.2.7, 10.0.0.2, 10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7:", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: 192.0.2.7:123456", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: [192.0.2.7]", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: [2001:db8::7", "10.0.0.1", "10.0.0.1"),
            ("X-Forwarded-For: fe80::1%eth0", "10.0.0.1", "10.0.0.1"),
            // Other names of the family, and aliases of this one, are not read.
            ("X-Real-IP: 192.0.2.7\r\nForwarded: for=192.0.2.7\r\nX_Forwarded_For: 192.0.2.7", "10.0.0.1", "10.0.0.1"),
        ])
    func walk(_ fields: String, _ client: String, _ chain: String) throws {
        #expect(try read(fields) == Reading(client: client, chain: chain))
    }

    @Test("the peer is written in one form, too")
    func peer() throws {
        #expect(try read("X-Forwarded-For: 192.0.2.7", peer: "FD00::0:1").chain == "192.0.2.7, fd00::1")
    }

    @Test(
        "X-Forwarded-Proto, -Host and -Port: the nearest hop's",
        arguments: [
            ("X-Forwarded-Proto: https", true, nil, nil), ("X-Forwarded-Proto: HTTP", false, nil, nil),
            ("X-Forwarded-Proto: https, http", false, nil, nil),
            ("X-Forwarded-Proto: http\r\nX-Forwarded-Proto: https", true, nil, nil),
            ("X-Forwarded-Proto: wss", nil, nil, nil), ("X-Forwarded-Proto: https ", true, nil, nil),
            ("X-Forwarded-Proto: https\"", nil, nil, nil), ("X-Forwarded-Proto:", nil, nil, nil),
            ("X-Forwarded-Host: api.example.com:8443", nil, "api.example.com:8443", nil),
            ("X-Forwarded-Host: evil.net, api.example.com", nil, "api.example.com", nil),
            ("X-Forwarded-Host: a@b", nil, nil, nil), ("X-Forwarded-Host: a/b", nil, nil, nil),
            ("X-Forwarded-Port: 443", nil, nil, 443), ("X-Forwarded-Port: 80, 8443", nil, nil, 8443),
            ("X-Forwarded-Port: 0", nil, nil, nil), ("X-Forwarded-Port: 65536", nil, nil, nil),
            ("X-Forwarded-Port: +443", nil, nil, nil), ("X-Forwarded-Port: 443x", nil, nil, nil),
        ] as [(String, Bool?, String?, UInt16?)])
    func origin(_ fields: String, _ isSecure: Bool?, _ host: String?, _ port: UInt16?) throws {
        let expected = Reading(
            client: "10.0.0.1", chain: "10.0.0.1", isSecure: isSecure, host: host, port: port)
        #expect(try read(fields) == expected)
    }

    @Test(
        "RFC 7239: Forwarded, where that is the family",
        arguments: [
            ("Forwarded: for=192.0.2.7", "192.0.2.7", "192.0.2.7, 10.0.0.1", nil, nil),
            (
                "Forwarded: For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17", "2001:db8:cafe::17, 10.0.0.1", nil,
                nil
            ),
            (
                "Forwarded: for=192.0.2.7;proto=http, for=10.0.0.2;by=203.0.113.43;proto=https;host=api.example.com",
                "192.0.2.7", "192.0.2.7, 10.0.0.2, 10.0.0.1", true, "api.example.com"
            ),
            ("Forwarded: for=1.1.1.1\r\nForwarded: for=192.0.2.7", "192.0.2.7", "192.0.2.7, 10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7, for=unknown", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7, for=_hidden", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7, proto=https", "10.0.0.1", "10.0.0.1", true, nil),
            ("Forwarded: for=192.0.2.7;for=192.0.2.8;proto=https", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7 ;proto=https", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7;", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=\"192.0.2.7", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=\"192.\\0.2.7\"", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=2001:db8::7", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=\", for=192.0.2.7", "10.0.0.1", "10.0.0.1", nil, nil),
            ("Forwarded: for=192.0.2.7;host=\"a b\";secret=\"x,y\"", "192.0.2.7", "192.0.2.7, 10.0.0.1", nil, nil),
            ("X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https", "10.0.0.1", "10.0.0.1", nil, nil),
        ] as [(String, String, String, Bool?, String?)])
    func forwarded(
        _ fields: String, _ client: String, _ chain: String, _ isSecure: Bool?, _ host: String?
    ) throws {
        let expected = Reading(client: client, chain: chain, isSecure: isSecure, host: host)
        #expect(try read(fields, family: .forwarded) == expected)
    }

    @Test("a chain is believed up to its bound; of 50 KB of it only the end matters")
    func long() throws {
        let hops = (0..<40).map { "10.0.1.\($0)" }
        let reading = try read("X-Forwarded-For: 192.0.2.7, \(hops.joined(separator: ", "))")
        #expect(reading.client == "10.0.1.8")
        #expect(reading.chain == (hops[8...] + ["10.0.0.1"]).joined(separator: ", "))

        let table = HeaderTable()
        let value = String(repeating: "1.1.1.1,", count: 6400) + "192.0.2.7, 10.0.0.2"
        let bytes = "X-Forwarded-For: \(value)\r\n\r\n".bytes
        guard case .end = FieldSection.parse(bytes.span, from: 0, maximumFields: 1, into: table) else {
            Issue.record("the section is well-formed")
            return
        }
        let chain = Chunk(capacity: 16)
        let result = ForwardedFields.read(
            table, bytes.span, family: .xForwarded, peer: IPAddress(v4: 0x0a00_0001), chain: chain,
            trusted: Self.trusted)
        #expect(result.client.description == "192.0.2.7")
        #expect(chain.text == "192.0.2.7, 10.0.0.2, 10.0.0.1")
    }
}

extension Chunk {
    /// The unconsumed bytes as text.
    var text: String {
        let bytes = readable
        var copy: [UInt8] = []
        for i in bytes.indices { copy.append(bytes[i]) }
        return String(decoding: copy, as: UTF8.self)
    }
}
