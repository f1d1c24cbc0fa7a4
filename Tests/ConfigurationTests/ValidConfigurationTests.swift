import Bytes
import Declaration
import Foundation
import Model
import OAuthServer
import ServiceDomains
import TestSupport
import Testing
import UserProfiles

@testable import Configuration

@Suite struct ValidConfigurationTests {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The fixture of section 1.5 of the catalogue.
    @Test func sampleLoads() throws {
        let names =
            "gateway routes webgates clients backends applications users roles policies issuers serviceDomains identityProviders"
        let files = try names.split(separator: " ").map { name in
            ("\(name).json", try String(contentsOf: Self.root.appending(path: "config/\(name).json"), encoding: .utf8))
        }
        let sample = try ConfigurationDirectory(Dictionary(uniqueKeysWithValues: files), on: [:])
        let loadedAlone = sample.load()
        #expect(
            loadedAlone.diagnostics.map(\.pointer) == ["/listeners/1/tls/certificates/0/certFile"]
                + StoreSection.usualWarnings)
        try sample.makeCertificate()
        let loaded = sample.load()
        #expect(loaded.lines(.error) == [])
        #expect(loaded.diagnostics.map(\.pointer) == StoreSection.usualWarnings)
        let configuration = try #require(loaded.configuration)
        #expect(configuration.baseURL.description == "http://127.0.0.1:8080")
        #expect(configuration.listeners.map(\.place.description) == ["127.0.0.1:8080", "127.0.0.1:8443"])
        #expect(configuration.listeners.map(\.rules.http2) == [false, true] && configuration.admin?.port == 9901)
        #expect(configuration.upstreams.flatMap(\.servers).map(\.description) == ["http://127.0.0.1:9000"])
        let clients = configuration.clients.map { "\($0.client.id) \($0.client.isStandard)" }
        #expect(clients == ["mbe-inv-1 false", "mbe-fb-1 false", "sch-client true"])
        #expect(configuration.clients[0].client.clientSecret?.value == "inv-secret")
        #expect(configuration.clients[1].client.enableSSO == false)
        #expect(configuration.users.map(\.roles) == [["Manager"], ["Clerk"], [], []])
        #expect(configuration.applications.map { "\($0.name) \($0.apiKey)" } == ["testApp 1234567890123456789"])
        let notes = configuration.routes.first { $0.application != nil }
        #expect(notes?.path == "/yambas/rest/apps/testApp/models/Notes/**")
        #expect(configuration.users.allSatisfy { $0.passwordHash?.hasPrefix("{scrypt}") == true })
        #expect(configuration.webgates.map(\.level) == [2, nil, 3])
        #expect(configuration.webgates[1].userAgents == ["OAMMS-Agent"])
        let items = try #require(configuration.routes.first { $0.path == "/inventory/items" })
        #expect(items.methods.map(\.method) == ["GET", "POST"])
        #expect(items.methods.map(\.access.roles.any) == [["Manager", "Clerk"], ["Manager"]])
        #expect(configuration.routes.filter(\.access.isPublic).map(\.path) == ["/open/ping"])
        #expect(configuration.challenge.keyFile.hasSuffix("/state/challenge.key"))
    }

    @Test func completeConfigurationLoads() throws {
        let loaded = LoadedConfiguration.complete()
        #expect(loaded.lines(.error) == [])
        let configuration = try #require(loaded.configuration)
        #expect(configuration.workers == 2 && configuration.engine == .ioUring)
        #expect(configuration.admin?.token?.value == "adm")
        let login = try #require(configuration.routes.first { $0.login != nil }?.login)
        #expect(login.ways == ["staff"] && [login.lifetime, login.idleTimeout] == [.seconds(14_400), .seconds(1800)])
        let staff = try #require(configuration.serviceDomains.first)
        #expect(staff.services == ["mobileservice1"] && staff.isMobile && staff.wipesDevices)
        #expect(staff.authentication.scheme == "FormScheme" && staff.authentication.strongLevel == 6)
        #expect(staff.deniedDevices.map(\.count) == [1, 2])
        let agent = try #require(staff.applications.first)
        #expect(agent.participates && agent.agentPriority == 1 && agent.sharedSecret?.value == "shared")
        #expect(agent.sessionTimeout == 600 && agent.idleTimeout == 300 && agent.maximumLoginAttempts == 3)
        // OMS-21: what is no distance is a kilometre.
        let distance = agent.customAttributes.first { $0.name == "LocationUpdateDistanceFilter" }
        #expect(distance?.node.integer == 1000)
        #expect(staff.limits.registrations == 5 && staff.limits.sessions == 10 && staff.limits.sessionsPerDevice == 2)
        let elsewhere = try #require(configuration.serviceDomains[1].authentication.remote)
        #expect(
            elsewhere.issuer == "directory" && elsewhere.connectivity == .auto && elsewhere.guestRoles == ["Guest"])
        #expect(elsewhere.verifierLifetime == .seconds(86_400) && elsewhere.maximumVerifiers == 100)
        #expect(elsewhere.offlineSessionSeconds == 600 && staff.authentication.remote == nil)
        try expectProviders(configuration)
        let lobby = try #require(configuration.serviceDomains.last)
        #expect(lobby.services == ["oamauthentication", "jwtauthentication", "jwtoamauthentication"])
        #expect(!lobby.isMobile && lobby.authentication.level == 1 && lobby.applications[0].sessionTimeout == nil)
        #expect(configuration.authenticationSchemes.map(\.name) == ["FormScheme"])
        #expect(configuration.authenticationSchemes.map(\.challengeMethod) == [.form])
        #expect(configuration.webgates.map(\.level) == [3, nil])
        #expect(configuration.users[0].oneTimeSecret == Array("12345678901234567890".utf8))
        #expect(configuration.users[0].attributes.keys.sorted() == User.attributeNames.sorted())
        #expect(configuration.users[0].attributes["manager"] == "ann")
        #expect(configuration.roles.names == ["Manager", "Clerk", "Employee", "Guest"])
        #expect(configuration.roles.descriptions == ["Employee": "All employees"])
        #expect(configuration[UserProfileSection.self].isEnabled)
        #expect(configuration.sessions.lifetime == .seconds(14_400))
        #expect(configuration.sessions.idleTimeout == .seconds(1200))
        #expect(configuration.trustedProxies[0].contains(IPAddress(v4: 0x0ac8_0001)))
        #expect(!configuration.trustedProxies[0].contains(IPAddress(v4: 0x0b00_0001)))
        #expect(configuration.limits.head.maximumHeadBytes == 32 << 10)
        #expect(configuration.limits.maximumBodyBytes == 10 << 20 && configuration.limits.headerTimeout == 1500)
        #expect(configuration.upstreams[0].settings.connectTimeout == 250)
        #expect(configuration.challenge.keys == [1, 0].map { [UInt8](repeating: $0, count: 32) })
        #expect(configuration.issuedTokenCache.skew == .seconds(15))
        #expect(configuration.issuedTokenCache.persists)
        #expect(configuration.tokenService.rotateEvery == .seconds(2_592_000))
        #expect(configuration.tokenService.paths.tokenAliases == ["/auth/token"])
        #expect(configuration.tokenService.paths[.introspection] == "/auth/oauth/introspect")
        #expect(configuration.tokenService.requiresTLS == true)
        let terms = configuration.tokenService.terms
        #expect(terms.clockSkew == .seconds(2) && terms.scopes == ["read", "write"] && terms.revokesOnRefresh)
        #expect(configuration.log.access == .file(loaded.directory + "/access.log"))
        #expect(configuration.log.fields == [.host, .userAgent])
        #expect(configuration.errors.format == .problem && configuration.errors.answers.count == 3)
        #expect(configuration.errors.answers[0].template.pieces.contains(.requestID))
        let answers = configuration.routes[0].options.errors
        #expect(answers.format == .standard && answers.answers.map(\.status) == [404, nil, 303])
        #expect(answers.answers[0].statuses == [403...403, 500...599])
        #expect(answers.answers[0].reasons == ["role_required"])
        #expect(configuration.authenticationSchemes[0].challenges.map(\.scheme) == ["ApiKey"])
        #expect(configuration.log.sample == AccessLogSample(successes: 100, failures: 2))
        #expect(configuration.routes[0].options.endsWithToken && !configuration.routes[0].options.isLogged)
        #expect(configuration.cors.maxAgeSeconds == 3600)
        #expect(configuration.passwords.aesKey?.count == 16)
        #expect(configuration.policies.tokenExchangeTimeoutSeconds == 3600)
        #expect(configuration.policies.tokenExchangeTimeoutPolicy == .fromExternalTokenLimited)
        #expect(configuration.policies.authTokenConfiguration?["issuers"]?.array?.count == 2)
        #expect(configuration.certificates.map(\.alias) == ["idp", "partner"])
        #expect(configuration.certificates[0].pem == configuration.certificates[1].pem)
        let items = configuration.routes[0]
        #expect(
            items.access.clientCertificate
                == ["dns:*.example.com", "subject:CN=device *,O=Example"].compactMap { CertificatePattern($0) })
        #expect(items.methods.map(\.access.clientCertificate) == [nil, items.access.clientCertificate])
        #expect(items.options.certificateForwarding == .xfcc && !items.options.takesCertificates)
        #expect(configuration.routes.filter(\.options.takesCertificates).map(\.name) == ["/behind/**"])
        let users = try #require(configuration.listeners.compactMap(\.tls).first?.clientUsers)
        #expect(
            users.map(\.roles) == [["Manager"], nil, [], [], []] && users.map(\.realm) == [nil, "Staff", nil, nil, nil])
        // FB-02: it is off.
        #expect(configuration.clients[0].socialLogin == nil)
        let application = try #require(configuration.applications.first)
        #expect(application.systems == ["LIVE", "TEST"] && application.realm == "Staff")
        #expect(application.userClass.module == "Members" && application.userClass.model == "com.example.Member")
        #expect(application.administrator?.mail == "admin@example.com" && application.writers == ["joe"])
        #expect(application.expirations.access == 3600 && application.expirations.refresh == 7200)
        #expect(application.expirations.manualAccess == 60 && application.expirations.manualRefresh == 120)
        #expect(application.expirations.longestAccess == 86_400 && application.expirations.longestRefresh == 172_800)
        #expect(application.allowSignUp && application.httpBasic)
        #expect(application.socialLogin?.appID == "1" && application.socialLogin?.appSecret == "app-secret")
        #expect(application.socialLogin?.verifyURL.description == "https://verify.example.com/")
        #expect(!configuration.tokenCleaner.isEnabled && configuration.tokenCleaner.minuteOfDay == 23 * 60 + 30)
        #expect(configuration.trustedIssuers[0].users.roleMapping.mappedRoles.values.first == ["Clerk", "Manager"])
        #expect(configuration.trustedIssuers[0].tokenType == .accessToken)
        #expect(configuration.trustedIssuers[0].authorizedParties == ["shop-app"])
        #expect(configuration.trustedIssuers.map(\.acceptIDTokens) == [false, true, false, false, false, false, false])
        #expect(configuration.trustedIssuers[3].tokenType == .any)
        #expect(configuration.trustedIssuers[0].maximumLifetime == .seconds(3600))
        #expect(configuration.realms == ["Default", "Staff"])
        #expect(configuration.certificates.map(\.alias) == ["idp", "partner"])
        #expect(configuration.certificates[0].pem == configuration.certificates[1].pem)
        #expect(configuration.users[0].tokensNotBefore == 1_700_000_000)
        #expect(
            configuration.clients[0].client.tokensNotBefore == 1_700_000_000 && !configuration.clients[0].isRevoked)
        expectKeys(configuration.trustedIssuers.map(\.keys))
        let partner = configuration.clients[1].client.grants
        #expect(partner.refresh == RefreshLifetimes(tokenSeconds: 3600, familySeconds: 7200, reuseSeconds: 10))
        #expect(partner.accessTokenSeconds == 300 && partner.introspection)
        guard case .file(let keys)? = configuration.clients[1].clientKeys else {
            Issue.record("no keys")
            return
        }
        #expect(keys.hasSuffix("/complete/keys/idp.jwks"))
        #expect(partner.exchange?.audiences == ["https://billing.example.com"])
        #expect(partner.exchange?.lifetimeSeconds == 60 && partner.exchange?.actors == true)
        #expect(configuration.tokenService.resourceServers[0].clients == ["inventory/1.0"])
        let introspection = configuration.trustedIssuers[4].introspection
        #expect(introspection?.client.method == .privateKeyJWT && introspection?.client.keyID == "gateway-2")
        #expect(introspection?.assertionAudience == "http://opaque.example.com")
        #expect(introspection?.url.description == "http://opaque.example.com/introspect")
        #expect(introspection?.cache == .seconds(30) && introspection?.tokenPrefix == "opq_")
        let modules = "embedded static oauth2 http oauth-client oauth2 oauth2 oauth2 remote http oam"
        #expect(configuration.issuers.map(\.module).joined(separator: " ") == modules)
        let behind = configuration.routes.first { $0.path == "/behind/**" }?.options.challengeRule
        #expect(behind?.userAgent == Array("OIC-Agent".utf8) && behind?.maximumKeptBody == 16_384)
        #expect(configuration.issuers.compactMap(\.allowedHosts) == [["127.0.0.1", "localhost"], ["127.0.0.1"]])
    }

    private func expectKeys(_ keys: [TrustedIssuerEntry.Keys?]) {
        guard case .file(let file) = keys[0], case .published(let published) = keys[2],
            case .published(let usual) = keys[3]
        else {
            Issue.record("the keys are elsewhere: \(keys)")
            return
        }
        #expect(file.hasSuffix("/complete/keys/idp.jwks"))
        let rare = published.settings
        // JWT-31: the discovery document is not fetched where the address of the keys is known.
        #expect(rare.keys?.description == "http://published.example.com:8080/keys?a=b" && rare.discovery == nil)
        #expect(rare.allowHTTP && published.isOptional && rare.staleSeconds == 0)
        #expect(rare.minimumReloadSeconds == 30 && rare.maximumReloadSeconds == 3600)
        #expect(rare.connectTimeoutMilliseconds == 2000 && rare.readTimeoutMilliseconds == 3000)
        #expect(rare.versions == .range(.tls12 ... .tls13) && rare.authorization == "Basic dGVzdDp0ZXN0")
        #expect(published.trustFile?.hasSuffix("/complete/keys/cert.pem") == true)
        #expect(!usual.settings.allowHTTP && !usual.isOptional && usual.settings.keys == nil)
        #expect(usual.settings.versions == .standard && usual.settings.discovery?.isSecure == true)
        #expect(usual.settings.minimumReloadSeconds == 60 && usual.settings.maximumReloadSeconds == 28_800)
        #expect(usual.settings.connectTimeoutMilliseconds == 5000 && usual.settings.readTimeoutMilliseconds == 10_000)
        #expect(usual.settings.staleSeconds == 86_400 && usual.settings.authorization == nil)
        #expect(usual.trustFile == nil)
    }

    @Test func defaults() throws {
        let configuration = try #require(try ConfigurationDirectory([:]).load().configuration)
        #expect(configuration.workers == 1 && configuration.engine == .auto)
        #expect(configuration.admin == nil)
        #expect(configuration.limits.head.maximumHeadBytes == 16 << 10)
        #expect(configuration.limits.head.maximumFields == 100)
        #expect(configuration.limits.idleTimeout == 60_000)
        #expect(configuration.challenge.lifetime == .seconds(300))
        #expect(configuration.tokenService.issuer == "http://127.0.0.1:8080")
        #expect(configuration.tokenService.terms.clockSkew == .seconds(5))
        #expect(!configuration.tokenService.terms.revokesOnRefresh)
        #expect(configuration.tokenService.algorithm == .es256)
        #expect(configuration.tokenService.paths.tokenAliases == ["/token"])
        #expect(configuration.policies.allowOrigin.text == "disallow")
        #expect(configuration.clients[0].client.oauthConsumer && configuration.clients[0].client.httpBasic)
        #expect(!configuration.clients[0].client.enableSSO && configuration.clients[0].client.realm == "Default")
        // OAUTH-05: there are no refresh tokens, or other extras, without a request for them.
        let grants = configuration.clients[0].client.grants
        #expect(grants.refresh == nil && !grants.introspection && grants.exchange == nil)
        #expect(configuration.tokenService.paths[.revocation] == "/oauth2/revoke")
        #expect(configuration.webgates[0].userAgentMismatch == nil)
        #expect(configuration.listeners[0].rules.name == "127.0.0.1:8080")
        #expect(!configuration.listeners[0].rules.http2 && configuration.listeners[0].tls == nil)
        #expect(
            configuration.limits.minimumBodyRate == 256 && configuration.limits.maximumPasswordChecksPerAddress == 32)
        #expect(configuration.forwardedFields == .xForwarded)
        #expect(configuration.managedHeaders.isEmpty)
        #expect(configuration.limits.http2.maximumStreams == 100)
        #expect(configuration.upstreams[0].servers.map(\.weight) == [1] && configuration.upstreams[0].tls == nil)
        let upstream = configuration.upstreams[0].settings
        #expect(upstream.balance == .leastRequests && !upstream.http2)
        #expect(upstream.healthCheck == nil && upstream.ejection == nil && upstream.breaker == nil)
        #expect(upstream.retries.attempts == 1 && upstream.queueLength == 0 && upstream.slowStart == 0)
    }

    /// DEC-10.
    @Test func storeInFull() throws {
        let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway(
                """
                "store": {"kind": "sqlite", "path": "/srv/t.db", "key": "env:KEY", "timeout": "250ms",
                          "staleAfter": "5s", "whenUnavailable": "allow"}
                """)
        ])
        let store = try #require(directory.load(["KEY": key]).configuration?.store)
        #expect((store.entry as? SQLiteEntry)?.path == "/srv/t.db" && store.keys == [Array(0..<32)])
        #expect(store.timeout == .milliseconds(250) && store.staleAfter == .seconds(5))
        #expect(store.whenUnavailable == .allow)
        let usual = try #require(ConfigurationDirectory([:]).load().configuration?.store)
        #expect(usual.keyFile.hasSuffix("/state/store.key"))
        #expect(usual.keys.isEmpty && usual.whenUnavailable == .deny && usual.staleAfter == .seconds(3))
        #if SQLite
            #expect((usual.entry as? SQLiteEntry)?.path.hasSuffix("/state/tokens.sqlite") == true)
        #else
            #expect(usual.entry is MemoryEntry)
        #endif
    }

    /// DEC-10.
    @Test(arguments: [
        (#""redis://127.0.0.1:6380/3""#, "127.0.0.1 6380", 3), (#""redis://[::1]""#, "::1 6379", 0),
        (#""redis://localhost/""#, "127.0.0.1 6379", 0), (#""unix:/run/r.sock""#, "/run/r.sock", 0),
    ])
    func redisPlaces(_ url: String, _ place: String, _ database: Int) throws {
        let section = #""store": {"kind": "redis", "url": \#(url)}"#
        let loaded = try ConfigurationDirectory(["gateway.json": ConfigurationDirectory.gateway(section)]).load()
        #expect(loaded.diagnostics.isEmpty)
        let redis = try #require(loaded.configuration?.store.entry as? RedisEntry)
        let found =
            switch redis.place {
            case .address(let address, let port): "\(address) \(port)"
            case .name(let name, let port): "\(name) \(port)"
            case .unix(let path): path
            }
        #expect(found == place && redis.database == database)
        #expect(redis.tls == nil && redis.password == nil && redis.keyPrefix == "portcullis:" && redis.replicas == 0)
    }

    @Test func redisInFull() throws {
        let section = """
            "store": {"kind": "redis", "url": "rediss://redis.example.com:6380/2", "username": "gateway",
                      "password": "env:PASSWORD", "tls": {"serverName": "redis"}, "keyPrefix": "gw:", "replicas": 1}
            """
        let directory = try ConfigurationDirectory(["gateway.json": ConfigurationDirectory.gateway(section)])
        let redis = try #require(directory.load(["PASSWORD": "secret"]).configuration?.store.entry as? RedisEntry)
        #expect(redis.place == .name("redis.example.com", port: 6380) && redis.database == 2)
        #expect(redis.username == "gateway" && redis.password?.value == "secret" && redis.keyPrefix == "gw:")
        #expect(redis.replicas == 1)
        #expect(redis.tls?.serverName == "redis" && redis.tls?.verifies == true)
        let clear = section.replacing("rediss", with: "redis").replacing(#""tls": {"serverName": "redis"}, "#, with: "")
        let warned = try ConfigurationDirectory(["gateway.json": ConfigurationDirectory.gateway(clear)])
            .load(["PASSWORD": "secret"])
        #expect(warned.diagnostics.map(\.pointer) == ["/store/url"])
    }

    /// DEC-02: every section may stand inline.
    @Test func sectionsInline() throws {
        let files = [
            "gateway.json": ConfigurationDirectory.gateway(
                """
                "roles": ["A"],
                "users": [{ "username": "joe", "roles": ["A"] }],
                "routes": [{ "path": "/a", "upstream": "inventory", "roles": ["A"] }]
                """)
        ]
        let loaded = try ConfigurationDirectory(files, on: [:]).load()
        #expect(loaded.lines(.error) == [])
        #expect(loaded.configuration?.users.map(\.roles) == [["A"]])
        #expect(loaded.diagnostic(pointer: "/routes/0/path", message: "m", severity: .error).line == 7)
    }

    /// MBE-07: either side may say that a route belongs to a client.
    @Test func routesOfBackends() throws {
        let directory = try ConfigurationDirectory([
            "routes.json": """
            [{ "path": "/a", "upstream": "inventory" },
             { "path": "/b", "name": "bee", "upstream": "inventory", "backends": ["inventory/1.0"] }]
            """,
            "backends.json": """
            [{ "name": "inventory", "version": "1.0", "mobileBackendId": "m", "routes": ["/a", "bee"] },
             { "name": "inventory", "version": "2.0", "mobileBackendId": "n", "routes": ["bee"] }]
            """,
        ])
        let configuration = try #require(directory.load().configuration)
        #expect(configuration.routes.map(\.clients) == [["inventory/1.0"], ["inventory/1.0", "inventory/2.0"]])
    }

    @Test func rulesOfMethods() throws {
        let directory = try ConfigurationDirectory([
            "routes.json": """
            [{ "path": "/a", "upstream": "inventory", "roles": ["Clerk"], "level": 1, "loginRequired": false,
               "methods": { "GET": { "public": true }, "PUT": { "roles": { "all": ["Manager"] } }, "POST": {},
                            "DELETE": { "level": 3, "loginRequired": true } } },
             { "path": "/b", "upstream": "inventory", "public": true,
               "methods": { "GET": {}, "PUT": { "roles": ["Manager"] } } }]
            """
        ])
        let loaded = directory.load()
        #expect(loaded.lines(.error) == [])
        let routes = try #require(loaded.configuration?.routes)
        let first = routes[0].methods.map(\.access)
        #expect(first.map(\.isPublic) == [true, false, false, false])
        #expect(first.map(\.roles.any) == [nil, nil, ["Clerk"], ["Clerk"]])
        #expect(first.map(\.roles.all) == [[], ["Manager"], [], []])
        #expect(first.map(\.level) == [nil, 1, 1, 3])
        #expect(first.map(\.loginRequired) == [false, false, false, true])
        // A method that asks for a role is not public, and asks for a login.
        let second = routes[1].methods.map(\.access)
        #expect(second.map(\.isPublic) == [true, false])
        #expect(second.map(\.loginRequired) == [false, true])
    }

    @Test func samePathForDifferentMethodsAndHosts() throws {
        let directory = try ConfigurationDirectory([
            "routes.json": """
            [{ "path": "/a", "upstream": "inventory", "methods": ["GET"] },
             { "path": "/a", "name": "b", "upstream": "inventory", "methods": ["POST"] },
             { "path": "/a", "name": "c", "upstream": "inventory", "hosts": ["a.example"] },
             { "path": "/a", "name": "d", "upstream": "inventory", "hosts": ["b.example"] },
             { "path": "/**", "upstream": "inventory" }]
            """
        ])
        #expect(directory.load().lines(.error) == [])
    }

    /// Without its token service the gateway leaves those paths to routes.
    @Test func endpointsThatAreOffAreFree() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway(#""tokenService": {"enabled": false}"#),
            "routes.json": #"[{ "path": "/oauth2/token", "upstream": "inventory" }]"#,
        ])
        #expect(directory.load().lines(.error) == [])
    }

    /// The composition root reports what it finds at the place it comes from.
    @Test func laterFindingsGetAPlace() throws {
        let directory = try ConfigurationDirectory([
            "routes.json": "[\n{\n\"path\": \"/a\",\n\"upstream\": \"inventory\"}]"
        ])
        let loaded = directory.load()
        let diagnostic = loaded.diagnostic(
            pointer: "/routes/0/upstream", message: "no answer", severity: .warning, expected: "a server")
        #expect(
            diagnostic.description
                == "routes.json:4: warning: /routes/0/upstream: no answer (expected a server)")
        #expect(loaded.diagnostic(pointer: "/routes/0/injection/issuer", message: "m", severity: .error).line == 2)
        #expect(loaded.diagnostic(pointer: "/upstreams/inventory/url", message: "m", severity: .error).line == 4)
        #expect(loaded.diagnostic(pointer: "", message: "m", severity: .error).file == "gateway.json")
    }
}
