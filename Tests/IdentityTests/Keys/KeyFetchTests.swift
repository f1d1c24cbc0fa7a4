import Bytes
import Crypto
import JOSE
import Model
import Outbound
import Testing

@testable import Identity

/// Discovery and key set, answer by answer (JWT-30 to JWT-32, JWT-37).
@Suite struct KeyFetchTests {
    private let discovery = "https://idp.example/.well-known/openid-configuration"

    private func document(_ issuer: String = "https://idp.example", _ uri: String = "https://keys.example/jwks")
        -> [UInt8]
    {
        Array(#"{"issuer": "\#(issuer)", "jwks_uri": "\#(uri)", "more": [1]}"#.utf8)
    }

    private func response(
        _ body: [UInt8], status: Int = 200, _ headers: [(name: String, value: String)] = []
    ) -> OutboundResult {
        .response(OutboundResponse(status: status, headers: headers, body: body))
    }

    private func call(_ step: KeyFetch.Step) throws -> OutboundCall {
        guard case .call(let call) = step else { throw NoCall() }
        return call
    }
    private struct NoCall: Error {}

    private func failure(_ step: KeyFetch.Step) -> KeyFetchFailure? {
        if case .failed(let failure) = step { failure } else { nil }
    }

    @Test("the discovery document leads to the keys")
    func discoveryLeadsToTheKeys() throws {
        var settings = try KeyFixture.settings(discovery: discovery, keys: nil)
        settings.authorization = "Basic dGVzdDp0ZXN0"
        settings.connectTimeoutMilliseconds = 7
        settings.readTimeoutMilliseconds = 8
        var fetch = KeyFetch(settings, tls: nil)
        let first = try call(fetch.begin())
        #expect(first.url.description == discovery)
        #expect(first.method == "GET")
        #expect(first.maximumBytes == 1 << 20)
        #expect(first.headers.contains { $0.name == "Authorization" && $0.value == "Basic dGVzdDp0ZXN0" })
        #expect(first.connectTimeoutMilliseconds == 7 && first.readTimeoutMilliseconds == 8)
        let second = try call(fetch.received(response(document())))
        #expect(second.url.description == "https://keys.example/jwks")
        #expect(second.headers.contains { $0.name == "Authorization" && $0.value == "Basic dGVzdDp0ZXN0" })
        guard case .done(let keys, nil) = fetch.received(response(KeyFixture.jwks("a", "b"))) else {
            Issue.record("no keys")
            return
        }
        #expect(keys.keys.map(\.kid) == ["a", "b"])
    }

    @Test("JWT-31: with jwksUri the discovery document is not fetched")
    func jwksURITakesPrecedence() throws {
        let settings = try KeyFixture.settings(discovery: discovery, keys: "https://idp.example/keys")
        #expect(try call(KeyFetch(settings, tls: nil).begin()).url.target == "/keys")
        #expect(throws: RemoteKeySettings.Problem.noAddress) { try KeyFixture.settings(keys: nil) }
    }

    @Test("JWT-32: plain HTTP must be allowed explicitly")
    func plainHTTPMustBeAllowed() throws {
        let url = try WebURL("http://idp.example/keys")
        #expect(throws: RemoteKeySettings.Problem.insecure(url)) {
            try KeyFixture.settings(keys: "http://idp.example/keys")
        }
        _ = try KeyFixture.settings(keys: "http://idp.example/keys", allowHTTP: true)
        // A discovery document that is not used needs none.
        _ = try KeyFixture.settings(discovery: "http://idp.example/d", keys: "https://idp.example/keys")
    }

    @Test(
        "an invalid discovery document is refused",
        arguments: [
            ("{}", KeyFetchFailure.malformedDiscovery), ("[]", .malformedDiscovery), ("", .malformedDiscovery),
            (#"{"issuer": "https://idp.example"}"#, .malformedDiscovery),
            (#"{"jwks_uri": "https://a/"}"#, .malformedDiscovery),
            (#"{"issuer": 1, "jwks_uri": "https://a/"}"#, .malformedDiscovery),
            (#"{"issuer": "https://idp.example/", "jwks_uri": "https://a/"}"#, .wrongIssuer("https://idp.example/")),
            (#"{"issuer": "https://evil.example", "jwks_uri": "https://a/"}"#, .wrongIssuer("https://evil.example")),
            (#"{"issuer": "https://idp.example", "jwks_uri": "http://idp.example/k"}"#, .insecureAddress),
            (#"{"issuer": "https://idp.example", "jwks_uri": "file:///etc/passwd"}"#, .malformedAddress(.scheme)),
            (#"{"issuer": "https://idp.example", "jwks_uri": "https://a@b/"}"#, .malformedAddress(.userInformation)),
        ])
    func invalidDiscoveryIsRefused(text: String, expected: KeyFetchFailure) throws {
        var fetch = KeyFetch(try KeyFixture.settings(discovery: discovery, keys: nil), tls: nil)
        #expect(failure(fetch.received(response(Array(text.utf8)))) == expected)
    }

    @Test("only status 200 is accepted", arguments: [201, 204, 301, 302, 304, 401, 404, 500, 503])
    func onlyStatus200Counts(status: Int) throws {
        var fetch = KeyFetch(try KeyFixture.settings(discovery: discovery, keys: nil), tls: nil)
        #expect(failure(fetch.received(response(document(), status: status))) == .status(status, .discovery))
        fetch = KeyFetch(try KeyFixture.settings(), tls: nil)
        #expect(failure(fetch.received(response(KeyFixture.jwks("a"), status: status))) == .status(status, .keys))
    }

    @Test(
        "a key set without usable keys is a failure",
        arguments: [
            "", "<html>", "{}", #"{"keys": {}}"#, #"{"keys": []}"#, #"{"keys": [1, "x"]}"#,
            #"{"keys": [{"kty": "oct", "k": "AAAA"}]}"#, #"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}"#,
            #"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}"#,
        ])
    func setsWithoutUsableKeysAreFailures(text: String) throws {
        var fetch = KeyFetch(try KeyFixture.settings(), tls: nil)
        #expect(failure(fetch.received(response(Array(text.utf8))))?.code == "keys_content")
    }

    @Test("RFC 7517 section 5: unusable keys are ignored")
    func unusableKeysAreIgnored() throws {
        let good = try #require(String(decoding: KeyFixture.jwks("a"), as: UTF8.self).firstMatch(of: /\[(.*)\]/)?.1)
        let odd = [
            #"{"kty": "oct", "k": "AAAA", "kid": "o"}"#, #"{"kty": "RSA", "kid": "r", "n": "AQAB", "e": "AQAB"}"#,
            #"{"kty": "unheard-of"}"#, "7", #"{"kty": "RSA", "use": "enc", "n": "AQAB", "e": "AQAB"}"#, String(good),
        ]
        let text = #"{"keys": [\#((odd.dropLast() + [String(good), String(good)]).joined(separator: ","))]}"#
        var fetch = KeyFetch(try KeyFixture.settings(), tls: nil)
        guard case .done(let keys, _) = fetch.received(response(Array(text.utf8))) else {
            Issue.record("no keys")
            return
        }
        #expect(keys.keys.map(\.kid) == ["a"])
        #expect(keys.ignored.count == 6)
    }

    @Test("failed calls have stable codes", arguments: OutboundFailure.allCases)
    func failuresOfCallsHaveCodes(_ cause: OutboundFailure) throws {
        var fetch = KeyFetch(try KeyFixture.settings(), tls: nil)
        let found = try #require(failure(fetch.received(.failed(cause))))
        #expect(found == .call(cause, .keys))
        #expect(found.code == "keys_\(cause.rawValue)")
    }

    @Test("an empty set of TLS versions is a failure")
    func noVersionOfTLSIsAFailure() throws {
        var settings = try KeyFixture.settings()
        settings.versions = .none
        #expect(failure(KeyFetch(settings, tls: nil).begin()) == .noTLSVersion)
    }

    @Test(
        "Cache-Control determines the lifetime",
        arguments: [
            ([], nil), (["max-age=600"], 600), (["public, MAX-AGE=600, must-revalidate"], 600), (["no-store"], 0),
            (["max-age=600, no-cache"], 0), (["max-age=\"30\""], 30), (["max-age=-1"], 0), (["max-age=+5"], 0),
            (["max-age=x"], 0), (["max-age=600", "max-age=60"], 60), (["s-maxage=5"], nil), (["private"], nil),
            (["max-age=99999999999999999999"], 0),
        ] as [([String], Int64?)])
    func lifetimes(values: [String], expected: Int64?) {
        let response = OutboundResponse(status: 200, headers: values.map { ("cache-control", $0) })
        #expect(response.freshSeconds == expected)
    }

    @Test("Age is subtracted from the lifetime")
    func timeInOtherCachesCounts() {
        func lifetime(_ age: String) -> Int64? {
            OutboundResponse(status: 200, headers: [("Cache-Control", "max-age=600"), ("Age", age)]).freshSeconds
        }
        #expect(lifetime("100") == 500)
        #expect(lifetime("700") == 0)
        #expect(lifetime("x") == 600)
        #expect(lifetime("9223372036854775807") == 0)
    }

    @Test(
        "JWT-36, AMB-07: TLS version names are interpreted as specified",
        arguments: [
            (["TLSv1.1", "TLSv1.2"], TLSVersion.tls12...TLSVersion.tls12), (["TLS"], .tls12 ... .tls13),
            (["TLSv1.3"], .tls13 ... .tls13), (["TLSv1.3", "TLSv1.2"], .tls12 ... .tls13), (["TLSv1.1"], nil),
            (["SSLv3"], nil), (["SSL", "SSLv2", "TLSv1"], nil), ([], nil),
        ] as [([String], ClosedRange<TLSVersion>?)])
    func namesOfVersions(names: [String], expected: ClosedRange<TLSVersion>?) throws {
        #expect(try TLSVersion.range(named: names) == expected)
        #expect(throws: TLSVersion.UnknownName.self) { try TLSVersion.range(named: names + ["TLSv9"]) }
    }
}
