import Bytes
import Crypto
import Endpoints
import Identity
import OAuthServer
import TestSupport
import Testing
import TokenStorage

/// What a store holds is of no use without the key of its installation.
@Suite struct KeyedStoreTests {
    private func key(_ byte: UInt8) throws -> TokenDigestKey {
        try #require(TokenDigestKey(Array(repeating: byte, count: 32)))
    }

    private func records(_ store: any TokenStore) async throws -> [TokenRecord] {
        guard
            case .records(let records) = try await store.ask(
                .list(application: nil, subject: nil, limit: .max), now: Service.now)
        else { return [] }
        return records
    }

    @Test("two installations use different digests, and cannot use each other's records")
    func installations() async throws {
        let store = MemoryTokenStore()
        let (one, two) = (Mobile(store: store, key: try key(1)), Mobile(store: store, key: try key(2)))
        let handle = try one.handle()
        let user = try one.value(one.authenticate(handle))
        #expect(one.access(user, handle).status == 200)
        #expect(two.access(user, handle).status == 401)
        #expect(two.authenticate(handle).status == 401)
        let mine = Standards(store: store) { $0.storeKey = (try? key(1)) ?? $0.storeKey }
        let theirs = Standards(store: store) { $0.storeKey = (try? key(2)) ?? $0.storeKey }
        let refresh = mine.login().refreshToken
        #expect(theirs.refresh(refresh).status == 400)
        #expect(mine.refresh(refresh).status == 200)
    }

    @Test("the store contains no tokens, and none can be tested against it")
    func contents() async throws {
        let store = MemoryTokenStore()
        let key = try key(1)
        let mobile = Mobile(store: store, key: key)
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        let standards = Standards(store: store) { $0.storeKey = key }
        let refresh = try #require(standards.login().refreshToken)
        let client = try mobile.value(
            mobile.post(
                "/oic_rest/rest/oamauthentication/authenticate",
                Mobile.login("CLIENTTOKEN", user: "inventory", password: "shared", app: nil), domain: "Default"))
        let records = try await records(store)
        #expect(Set(records.map(\.kind)) == [.registration, .session, .refresh, .client])
        for token in [handle, user, refresh, client] {
            let bytes = Array(token.utf8)
            let known = records.flatMap { [$0.accessDigest, $0.refreshDigest] }.compactMap(\.self)
            #expect(known.contains(key.digest(token)))
            for algorithm in [DigestAlgorithm.sha256, .sha384, .sha512] {
                #expect(!known.contains(Array(algorithm.digest(bytes.span).prefix(32))))
                #expect(
                    !known.contains(
                        Array(algorithm.hmac(key: [UInt8](repeating: 0, count: 32).span, bytes.span).prefix(32))))
            }
            for record in records { #expect(!"\(record)".contains(token) && !record.holds(bytes)) }
        }
    }

    @Test("registrations, sessions and consents outlive a change of the key, and then the former key")
    func change() throws {
        let key = try key(1)
        let store = RekeyedTokenStore(MemoryTokenStore(), key: key)
        let mobile = Mobile(store: store, key: key)
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        let target = "/oic_rest/rest/jwtauthentication/authenticate"
        let device = #","X-Idaas-Rest-Subject-Credential":"device""#
        let bound = try mobile.value(
            mobile.post(target, Mobile.login("USERTOKEN::JWTUT", app: nil, more: device), domain: "Default"))
        func exchange(_ device: String) -> Int {
            let body = #"{"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\#(bound)","#
            let type = #""X-Idaas-Rest-New-Token-Type-To-Create":"USERTOKEN::OAMUT"\#(device)}"#
            return mobile.post(target, body + type, domain: "Default").status
        }
        let app = Authorizing(store: store) { $0.storeKey = key }
        app.logIn()
        #expect(app.decide().sent["code"] != nil)
        key.adopt(try #require(TokenDigestKey(keys: [2, 1].map { Array(repeating: $0, count: 32) })))
        #expect(exchange("") == 401 && exchange(device) == 200)
        for _ in 0..<2 {
            #expect(mobile.access(user, handle).status == 200)
            #expect(app.ask().sent["code"] != nil)
            key.adopt(try self.key(2))
        }
    }
}

extension TokenRecord {
    /// Whether a text stands anywhere in what stores write.
    fileprivate func holds(_ text: [UInt8]) -> Bool {
        let names = [id, slot, application, subject, tokenID, scope, extra].map { Array($0.utf8) }
        let parts = names + [sealed, attributes, accessDigest ?? [], refreshDigest ?? []]
        return parts.contains { part in
            part.count >= text.count
                && (0...(part.count - text.count)).contains { part[$0...].starts(with: text) }
        }
    }
}
