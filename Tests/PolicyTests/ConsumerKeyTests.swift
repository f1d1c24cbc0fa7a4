import Bytes
import Crypto
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("API keys of consumers")
struct ConsumerKeyTests {
    private static let key = APIKey.make()
    private static let digest = DigestAlgorithm.sha256.digest(Array(key.utf8).span)

    private func snapshot(
        enabled: Bool = true, expiresAt: Int64? = nil, keys: [Consumer.Key]? = nil, sources: [TokenSource]? = nil,
        issuers: [String]? = nil, withdrawn: WithdrawnAccounts? = nil
    ) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        settings.withdrawn = withdrawn
        let keys = keys ?? [Consumer.Key(id: "k1", digest: Self.digest, expiresAt: expiresAt)]
        settings.consumers = [Consumer(name: "billing", roles: ["Manager"], enabled: enabled, keys: keys)]
        var route = ResolvedRoute(RouteEntry(name: "keys", path: "/keys"))
        route.access.loginRequired = false
        route.access.roles.all = ["Manager"]
        route.options.tokenSources = sources
        route.access.issuers = issuers ?? []
        settings.routes.append(route)
        return TestPolicy.snapshot(settings)
    }

    private func decision(
        _ fields: [(String, String)], query: String = "", _ snapshot: PolicySnapshot
    ) -> DecisionOutcome {
        decide(TestRequest("GET", "/keys\(query)", fields), snapshot)
    }

    private static func bearer(_ key: String = key) -> [(String, String)] { [("Authorization", "Bearer \(key)")] }

    @Test("a key is refused that another gateway has withdrawn, from a date, with its consumer or with a role")
    func withdrawn() throws {
        func outcome(_ credential: WithdrawnAccounts.Credential, from: Int64 = 0) throws -> DecisionOutcome {
            let withdrawn = WithdrawnAccounts()
            withdrawn.use { ["digest of \($0)"] }
            let policy = snapshot(withdrawn: withdrawn)
            #expect(decision(Self.bearer(), policy) == .allowed("billing"))
            let epoch = policy.keyEpoch
            let (name, notice) = try #require(
                withdrawn.notice(credential, isWithdrawn: true, from: from, milliseconds: 1, until: .max))
            withdrawn.apply(notice, name: name)
            #expect(policy.keyEpoch != epoch)
            return decision(Self.bearer(), policy)
        }
        let key = WithdrawnAccounts.Credential.apiKey(digest: Self.digest, consumer: "billing")
        #expect(try outcome(key) == .denied(.apiKeyUnknown))
        #expect(try outcome(key, from: TestPolicy.now) == .denied(.apiKeyExpired))
        #expect(try outcome(key, from: TestPolicy.now + 1) == .allowed("billing"))
        #expect(try outcome(.consumer(name: "billing")) == .denied(.apiKeyUnknown))
        #expect(try outcome(.consumerRole(name: "billing", role: "Manager")) == .denied(.roleRequired))
        for other: WithdrawnAccounts.Credential in [
            .apiKey(digest: [1], consumer: "billing"), .consumer(name: "Billing"),
            .consumerRole(name: "billing", role: "Clerk"),
        ] {
            #expect(try outcome(other) == .allowed("billing"))
        }
    }

    @Test("long exchanges end with a key that another gateway has rotated")
    func rotatedElsewhere() throws {
        let withdrawn = WithdrawnAccounts()
        withdrawn.use { ["digest of \($0)"] }
        for own in [nil, TestPolicy.now + 9, TestPolicy.now + 2] {
            var settings = TestPolicy.settings()
            settings.withdrawn = withdrawn
            let key = Consumer.Key(id: "k1", digest: Self.digest, expiresAt: own)
            settings.consumers = [Consumer(name: "billing", roles: ["Manager"], enabled: true, keys: [key])]
            let (name, notice) = try #require(
                withdrawn.notice(
                    .apiKey(digest: Self.digest, consumer: "billing"), isWithdrawn: true, from: TestPolicy.now + 5,
                    milliseconds: 1, until: .max))
            withdrawn.apply(notice, name: name)
            let found = ConsumerKeys(settings).authenticate(Array(Self.key.utf8).span, now: TestPolicy.now)
            guard case .principal(let holder) = found else {
                Issue.record("\(found)")
                continue
            }
            #expect(holder.expiresAt == min(own ?? .max, TestPolicy.now + 5) && holder.roleNames == ["Manager"])
        }
    }

    @Test("a key counts as a bearer token, in its field, in Basic and at the places of a route")
    func places() {
        let policy = snapshot()
        #expect(decision(Self.bearer(), policy) == .allowed("billing"))
        #expect(decision([("X-API-Key", Self.key)], policy) == .allowed("billing"))
        #expect(decision([basic("\(Self.key):")], policy) == .allowed("billing"))
        #expect(decision([basic("any:\(Self.key)")], policy) == .allowed("billing"))
        #expect(decision([], query: "?key=\(Self.key)", policy) == .denied(.missingCredential))
        let query = snapshot(sources: [.query("key")])
        #expect(decision([], query: "?key=\(Self.key)", query) == .allowed("billing"))
        // What is no key does not count in its field.
        #expect(decision([("X-API-Key", TestPolicy.token())], policy) == .denied(.issuerNotAllowed))
    }

    @Test("unknown, misspelt, disabled and expired keys are refused")
    func refused() {
        let policy = snapshot()
        #expect(decision(Self.bearer(APIKey.make()), policy) == .denied(.apiKeyUnknown))
        #expect(decision(Self.bearer("pck_x"), policy) == .denied(.apiKeyUnknown))
        #expect(decision(Self.bearer(), snapshot(enabled: false)) == .denied(.apiKeyUnknown))
        #expect(decision(Self.bearer(), snapshot(keys: [])) == .denied(.apiKeyUnknown))
        #expect(decision(Self.bearer(), snapshot(expiresAt: TestPolicy.now)) == .denied(.apiKeyExpired))
        #expect(decision(Self.bearer(), snapshot(expiresAt: TestPolicy.now + 1)) == .allowed("billing"))
        var text = Array(Self.key.utf8)
        text[10] = text[10] == 0x41 ? 0x42 : 0x41
        #expect(APIKey.digest(of: text.span) == nil)
        #expect(APIKey.digest(of: Array(Self.key.utf8).span) == Self.digest)
    }

    private struct Missing: Error {}

    @Test("the refusal of a known key names it, its consumer and the cause, at every place of keys")
    func evidence() throws {
        func evidence(
            _ policy: PolicySnapshot, _ fields: [(String, String)] = Self.bearer(), _ reason: Reason = .apiKeyUnknown
        ) throws -> String {
            let request = TestRequest("GET", "/keys", fields)
            guard case .route(let route)? = request.match(policy) else { throw Missing() }
            let path = try #require(request.canonicalPath)
            return RefusalEvidence(policy).evidence(
                for: reason, on: route, nil, path: path.span, bytes: request.bytes.span, head: request.head,
                headers: request.headers, now: TestPolicy.now
            ).text
        }
        let subject = #"key "k1" of consumer "billing"; "#
        let disabled = snapshot(enabled: false)
        for fields in [Self.bearer(), [("X-API-Key", Self.key)], [basic("\(Self.key):")], [basic("x:\(Self.key)")]] {
            #expect(try evidence(disabled, fields) == subject + "the consumer is disabled", "\(fields)")
        }
        let expired = snapshot(expiresAt: TestPolicy.now - 5)
        #expect(try evidence(expired, Self.bearer(), .apiKeyExpired) == subject + "expired 5 s ago")
        // Nothing of a text that is no key of a consumer.
        #expect(try evidence(disabled, Self.bearer(APIKey.make())).isEmpty)
        #expect(try evidence(disabled, Self.bearer("pck_x")).isEmpty)
    }

    @Test("two keys of a consumer count side by side")
    func overlap() {
        let other = APIKey.make()
        let keys = [
            Consumer.Key(id: "k1", digest: Self.digest, expiresAt: TestPolicy.now + 10),
            Consumer.Key(id: "k2", digest: DigestAlgorithm.sha256.digest(Array(other.utf8).span)),
        ]
        #expect(decision(Self.bearer(), snapshot(keys: keys)) == .allowed("billing"))
        #expect(decision(Self.bearer(other), snapshot(keys: keys)) == .allowed("billing"))
    }

    @Test("routes name the issuer of keys")
    func issuers() {
        #expect(decision(Self.bearer(), snapshot(issuers: ["consumers"])) == .allowed("billing"))
        #expect(decision(Self.bearer(), snapshot(issuers: ["own"])) == .denied(.issuerNotAllowed))
    }
}
