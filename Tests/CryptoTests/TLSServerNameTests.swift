import Bytes
import Crypto
import Testing

/// Issue B, TLS: several certificates, chosen by the name that the client asks for.
@Suite struct TLSServerNameTests {
    static let other = TLSAuthority.shared.issue(["DNS:other.example", "DNS:www.example.com"], name: "other")
    static let servers = Result {
        try TLSServerContext(TLSServerSettings(certificates: [TLSSample.leaf, TLSSample.wildcard, other]))
    }

    static func subject(for name: String) throws -> [String]? {
        var settings = TLSClientSettings()
        settings.trust = .anyone
        let pair = try #require(try TLSPair(TLSClientContext(settings), servers.get(), name: name)).shakeHands()
        return pair.client.peerCertificate?.hostNames
    }

    static let leafNames = ["a.example", "b.example"]
    static let otherNames = ["other.example", "www.example.com"]

    @Test(arguments: [
        ("a.example", leafNames), ("b.example", leafNames), ("other.example", otherNames),
        // Upper case and the root's dot make no difference.
        ("OTHER.Example", otherNames), ("other.example.", otherNames),
        // A wildcard is one whole label, the left-most; an exact name goes first.
        ("x.example.com", ["*.example.com"]), ("X.EXAMPLE.COM.", ["*.example.com"]), ("www.example.com", otherNames),
        ("a.b.example.com", leafNames), ("example.com", leafNames), ("xexample.com", leafNames),
        // Unknown names and addresses get the first certificate.
        ("unknown.example", leafNames), ("192.0.2.1", leafNames), ("2001:db8::1", leafNames),
    ])
    func theNameDecides(_ name: String, _ expected: [String]) throws {
        #expect(try Self.subject(for: name) == expected)
    }

    @Test func aNameIsOnlyToldWhereItIsNoAddress() throws {
        var settings = TLSClientSettings()
        settings.trust = .anyone
        let clients = try TLSClientContext(settings)
        for (name, told) in [("A.example.", "a.example"), ("192.0.2.1", nil), ("[2001:db8::1]", nil)] {
            let pair = try #require(try TLSPair(clients, Self.servers.get(), name: name)).shakeHands()
            #expect(pair.server.serverName == told)
        }
    }

    @Test(arguments: ["", ".", "a b", "a\u{0}.example", "ä.example", String(repeating: "a", count: 300)])
    func impossibleNamesMakeNoSession(_ name: String) throws {
        #expect(try TLSClientContext(.trusting).makeSession(serverName: name) == nil)
    }

    /// RFC 6125 section 6.4.4: a common name counts where there are no alternative names.
    @Test func aCommonNameIsALastResort() throws {
        let named = TLSAuthority.shared.issue([], subject: "/CN=Old.Example")
        let both = TLSAuthority.shared.issue(["DNS:new.example"], subject: "/CN=shadow.example")
        let servers = try TLSServerContext(TLSServerSettings(certificates: [TLSSample.leaf, named, both]))
        #expect(servers.certificates.map { $0.names } == [Self.leafNames, ["old.example"], ["new.example"]])
        var settings = TLSClientSettings()
        settings.trust = .anyone
        let clients = try TLSClientContext(settings)
        for (name, fingerprint) in [
            ("old.example", servers.certificates[1].fingerprint),
            ("shadow.example", servers.certificates[0].fingerprint),
        ] {
            let pair = try #require(TLSPair(clients, servers, name: name)).shakeHands()
            #expect(pair.client.peerCertificate?.fingerprint == fingerprint)
        }
    }
}
