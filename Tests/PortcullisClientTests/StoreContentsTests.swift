import Bytes
import Testing

@testable import ClientStore
@testable import PortcullisClient

/// The stored form, which later versions must read.
@Suite struct StoreContentsTests {
    /// Written by version 0.9: names of members, numbers and escapes as Foundation's encoder has them.
    private static let text = #"""
        {"session":{"verifier":{"failures":2,"user":"joe","scope":{"origin":"https:\/\/gw:443"},"stored":"{SHA}x",
        "login":{"scope":{"origin":"https:\/\/gw:443"},"method":"basic","backend":"b\/1","password":"p"}},
        "webgates":[{"level":2,"paths":["\/a","\/b"],"origin":"https:\/\/gw:443","webgate":"w","token":"t"},
        {"level":1,"paths":[],"origin":"o","webgate":"v","token":"u","expiresAt":1000600}],
        "registration":{"scope":{"appName":"A","origin":"o","serviceDomain":"D"},"handle":"h"},
        "profile":{"etag":"\"e\"","text":"{}","scope":{"origin":"o"},"freshUntil":42},
        "login":{"method":"oam","scope":{"origin":"o","serviceDomain":"D"},"backend":"b\/1","user":"jo\u00e9",
        "token":"t","refreshToken":"r","level":3,"expiresAt":4102444800}},
        "credentials":[{"url":"u","tenant":"t","user":"joe","password":"Welcome1"},{"url":"v"}],
        "properties":[{"key":"k","value":"v","label":"l","description":"d"},{"key":"l","value":"w"}]}
        """#

    private static let state = SessionState(
        login: StoredLogin(
            method: .mobile, scope: Scope(origin: "o", serviceDomain: "D"), backend: "b/1", user: "joé", token: "t",
            refreshToken: "r", level: 3, expiresAt: 4_102_444_800),
        registration: Registration(scope: Scope(origin: "o", serviceDomain: "D", appName: "A"), handle: "h"),
        webgates: [
            WebgateToken(origin: "https://gw:443", webgate: "w", level: 2, token: "t", paths: ["/a", "/b"]),
            WebgateToken(origin: "o", webgate: "v", level: 1, token: "u", expiresAt: 1_000_600),
        ], profile: CachedProfile(scope: Scope(origin: "o"), text: "{}", etag: "\"e\"", freshUntil: 42),
        verifier: OfflineVerifier(
            scope: Scope(origin: "https://gw:443"), user: "joe", stored: "{SHA}x", failures: 2,
            login: StoredLogin(
                method: .basic, scope: Scope(origin: "https://gw:443"), backend: "b/1", password: "p")))

    @Test("a store of an earlier version is read, and written in the same form")
    func earlier() throws {
        for text in [Array(Self.text.utf8), try #require(StoreContents(Array(Self.text.utf8))).text] {
            let contents = try #require(StoreContents(text))
            #expect(
                contents.credentials == [
                    StoredCredential(url: "u", tenant: "t", user: "joe", password: "Welcome1"),
                    StoredCredential(url: "v", user: nil, password: nil),
                ])
            #expect(
                contents.properties == [
                    StoredProperty(key: "k", value: "v", label: "l", description: "d"),
                    StoredProperty(key: "l", value: "w"),
                ])
            #expect(try SessionState(try #require(contents.session)) == Self.state)
            #expect(try SessionState(Self.state.node) == Self.state)
        }
    }

    @Test("a store without a session has none, and one without members is refused")
    func partial() throws {
        let empty = #"{"credentials":[],"properties":[]}"#
        #expect(try #require(StoreContents(Array(empty.utf8))).session == nil)
        #expect(StoreContents().text == Array(empty.utf8))
        for text in [
            "", "{}", "[]", #"{"credentials":[]}"#, #"{"credentials":[{"user":"u"}],"properties":[]}"#,
            #"{"credentials":[{"url":1}],"properties":[]}"#, #"{"credentials":[],"properties":[{"key":"k"}]}"#,
        ] {
            #expect(StoreContents(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test(
        "a state that this program has not written is refused",
        arguments: [
            "{}", #"{"webgates":{}}"#, #"{"webgates":[{}]}"#, #"{"webgates":[],"login":{}}"#,
            #"{"webgates":[],"login":{"method":"none","scope":{"origin":"o"},"backend":"b"}}"#,
            #"{"webgates":[],"login":{"method":"oam","scope":{"origin":"o"},"backend":"b","level":1.5}}"#,
            #"{"webgates":[],"registration":{"handle":"h"}}"#,
        ])
    func foreign(_ text: String) throws {
        let node = try JSONNode.parse(text.utf8.span)
        #expect(throws: MalformedStore.self) { try SessionState(node) }
    }
}
