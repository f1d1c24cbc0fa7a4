import Bytes
import Identity
import Model
import Testing

extension Client {
    static func sample(_ name: String, _ version: String = "1.0", id: String) -> Client {
        Client(
            name: name, version: version, id: id, anonymousKey: "anon-\(id)", clientID: "client-\(id)",
            clientSecret: Secret("secret-\(id)"))
    }
}

extension Client {
    func hasSecret(_ text: String) -> Bool { hasSecret(Array(text.utf8).span) }
}

extension Clients {
    func client(id: String) -> Client? { client(id: Array(id.utf8).span) }
    func index(id: String) -> Int? { index(id: Array(id.utf8).span) }
}

@Suite struct ClientsTests {
    private let store = Clients([
        .sample("inventory", id: "mbe-inv-1"), .sample("inventory", "2.0", id: "mbe-inv-2"),
        .sample("scheduler", id: "mbe"), .sample("consumer", id: "zzz"), .sample("other", id: "MBE-inv-1"),
    ])

    @Test("an empty client id matches no backend")
    func emptyClientIDMatchesNoBackend() {
        let store = Clients(
            ["1", "2"].map {
                Client(
                    name: "b\($0)", version: "1.0", id: $0)
            })
        #expect(store.client(clientID: "") == nil)
        #expect(store.index(id: "2") == 1)
    }

    @Test("every backend is found by id, client id, and name with version")
    func everyBackendIsFoundByEachName() {
        for (index, client) in store.clients.enumerated() {
            #expect(store.index(id: client.id) == index)
            #expect(store.client(id: client.id)?.id == client.id)
            #expect(store.client(clientID: client.clientID)?.id == client.id)
            #expect(
                store.client(name: client.name, version: client.version)?.id == client.id)
        }
    }

    @Test(
        "other ids are unknown",
        arguments: ["", "mb", "mbe-", "mbe-inv-", "mbe-inv-10", "Mbe", "zzzz", "aaa", "mbe-inv-1 "])
    func otherIDsAreUnknown(_ id: String) {
        #expect(store.client(id: id) == nil)
        #expect(store.client(clientID: id) == nil)
    }

    @Test("MBE-08: the version is part of the name")
    func versionIsPartOfTheName() {
        #expect(store.client(name: "inventory", version: "3.0") == nil)
        #expect(store.client(name: "inventory", version: "2.0")?.id == "mbe-inv-2")
    }

    @Test("an empty store finds nothing")
    func emptyStoreHasNothing() {
        #expect(Clients([]).client(id: "1") == nil)
    }

    @Test("the binary search finds each of many backends")
    func binarySearchFindsEveryOneOfMany() {
        let ids = (0..<257).map { "id-\($0 &* 7919 % 257)" }
        let store = Clients(ids.map { .sample($0, id: $0) })
        for id in ids { #expect(store.client(id: id)?.name == id) }
    }

    @Test("OAUTH-06: only the exact secret matches; an empty one never does")
    func secretMustBeExact() {
        let client = Client.sample("inventory", id: "x")
        #expect(client.hasSecret("secret-x"))
        for wrong in ["", "secret-", "secret-xx", "Secret-x"] {
            #expect(!client.hasSecret(wrong))
        }
        var open = client
        open.clientSecret = nil
        #expect(!open.hasSecret(""))
    }

    @Test("MBE-04: settings omit the SSO endpoint with SSO off, and the secret unless requested")
    func settingsShowWhatIsOn() throws {
        var client = Client.sample("inventory", id: "x")
        let paths = Client.EndpointPaths(token: "/oauth2/token", exchange: "/mobile/platform/auth/token", sso: "/sso")
        func members(_ secrets: Bool) throws -> JSONNode {
            try JSONNode.parse(
                client.settingsJSON(baseURL: "https://gw.example.com", paths: paths, includingSecrets: secrets).span)
        }
        var page = try members(false)
        #expect(page["ssoTokenEndpoint"] == nil)
        #expect(page["clientSecret"] == nil)
        #expect(page["oauthTokenEndpoint"]?.string == "https://gw.example.com/oauth2/token")
        #expect(page["exchangeEndpoint"]?.string == "https://gw.example.com/mobile/platform/auth/token")
        #expect(page["mobileBackendId"]?.string == "x")
        client.enableSSO = true
        page = try members(true)
        #expect(page["ssoTokenEndpoint"]?.string == "https://gw.example.com/sso")
        #expect(page["clientSecret"]?.string == "secret-x")
    }
}
