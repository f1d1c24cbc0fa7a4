import Configuration
import Declaration
import Foundation
import Model
import TestSupport
import Testing

/// What the configuration says of listeners, upstreams and limits.
@Suite struct TransportTests {
    private func complete() throws -> GatewayConfiguration {
        let loaded = LoadedConfiguration.complete()
        #expect(loaded.lines(.error) == [])
        return try #require(loaded.configuration)
    }

    @Test func listeners() throws {
        let listeners = try complete().listeners
        #expect(listeners.map(\.rules.name).prefix(2) == ["public", "local"])
        #expect(listeners.map(\.rules.http2) == [false, true, false, false, false, false])
        #expect(listeners[1].rules.proxyPeers == [IPAddressRange("127.0.0.1"), IPAddressRange("fd00::/8")])
        guard case .unix(let path, let mode) = listeners[2].place else {
            Issue.record("no unix socket")
            return
        }
        #expect(path.hasSuffix("/complete/state/gateway.sock") && mode == 0o600)
        #expect(listeners[2].rules.name == "unix:\(path)")
        #expect(listeners[3].place == .inherited(name: "web"))
        #expect(listeners[3].rules.role == .redirect && listeners[3].rules.redirect?.port == 8443)
        let forwardAuth = ForwardAuthSettings(
            path: Array("/_auth".utf8), pathPrefix: Array("/_envoy".utf8),
            trustedProxies: [try #require(IPAddressRange("10.0.0.1"))])
        #expect(listeners[0].rules.role == .forwardAuth && listeners[0].rules.forwardAuth == forwardAuth)
        #expect(listeners.map(\.rules.redirect?.status) == [nil, nil, nil, 301, nil, nil])
        let tls = try #require(listeners[4].tls)
        #expect(tls.certificates.count == 3)
        guard case .files(let chain, _) = tls.certificates[0].source else {
            Issue.record("no files")
            return
        }
        #expect(chain.hasSuffix("/complete/keys/cert.pem"))
        #expect(tls.certificates[2].source == .authority(["api.example.com", "www.example.com"]))
        #expect(tls.certificates.map { $0.ocspFile != nil } == [true, false, false])
        #expect(tls.rules.minimumVersion == .tls12 && tls.rules.ciphers == "ECDHE+AESGCM")
        #expect(tls.rules.cipherSuites == "TLS_AES_128_GCM_SHA256")
        #expect(tls.rules.clientAuthentication == .optional && tls.clientAuthoritiesFile != nil)
        #expect(tls.ticketRotation == .zero && tls.handshakeTimeout == .seconds(5))
    }

    @Test func listenerDefaults() throws {
        let directory = try ConfigurationDirectory(
            [
                "gateway.json": """
                { "baseUrl": "https://a.example", "listeners": [
                  { "address": "::1", "port": 443, "tls": { "certificates": [{ "certFile": "cert.pem", "keyFile": "key.pem" }] } },
                  { "address": "unix:/run/gw.sock" }] }
                """
            ].merging(InvalidCase.pemFiles) { $1 })
        let listeners = try #require(directory.load().configuration).listeners
        #expect(listeners.map(\.rules.http2) == [true, false])
        let tls = try #require(listeners[0].tls)
        #expect(tls.rules.minimumVersion == .tls12 && tls.rules.clientAuthentication == .off)
        #expect(tls.ticketRotation == .seconds(12 * 3600) && tls.handshakeTimeout == .seconds(10))
        #expect(listeners[0].rules.name == "[::1]:443")
        guard case .unix(path: "/run/gw.sock", mode: 0o660) = listeners[1].place else {
            Issue.record("\(listeners[1].place)")
            return
        }
    }

    @Test func upstreams() throws {
        let upstreams = try complete().upstreams
        let first = upstreams[0]
        #expect(first.servers.map(\.description) == ["http://127.0.0.1:9000"])
        #expect(first.settings.maximumInFlight == 200)
        #expect(first.settings.queueLength == 50 && first.settings.queueTimeout == 500)
        #expect(first.settings.retries.attempts == 2 && first.settings.retries.budgetPercent == 10)
        #expect(first.settings.retries.minimumPerSecond == 1 && first.settings.slowStart == 20_000)
        let second = upstreams[1]
        #expect(
            second.servers.map(\.description) == [
                "https://[::1]:9001", "https://billing.example.com:443", "https://billing2.example.com:8443",
            ])
        #expect(second.servers.map(\.weight) == [3, 0, 1])
        #expect(second.servers.map(\.isBackup) == [false, false, true])
        #expect(second.settings.balance == .consistentHash(.header(Array("x-tenant".utf8))) && second.settings.http2)
        #expect(second.tls?.serverName == "billing.example.com")
        #expect(second.tls?.minimumVersion == .tls13 && second.tls?.verifies == true)
        #expect(second.tls?.keyFile?.hasSuffix("/keys/key.pem") == true)
        #expect(second.settings.resolveInterval == 10_000)
        #expect(second.settings.slowStart == 0)
        let check = try #require(second.settings.healthCheck)
        let range: ClosedRange<Int> = 200...299
        #expect(check.path == Array("/health?deep=1".utf8))
        #expect(check.status == range)
        #expect(check.healthy == 1 && check.unhealthy == 2 && check.timeout == 1000)
        let ejection = try #require(second.settings.ejection)
        #expect(ejection.failures == 3 && ejection.maximumPercent == 34)
        let breaker = try #require(second.settings.breaker)
        #expect(breaker.failures == 9 && breaker.minimumRequests == 30)
        #expect(breaker.pauseMilliseconds == 5000)
        guard case .unix(let path)? = upstreams[2].servers.first?.place else {
            Issue.record("no unix socket")
            return
        }
        #expect(path.hasSuffix("/complete/state/app.sock"))
    }

    @Test func limits() throws {
        let configuration = try complete()
        let limits = configuration.limits
        #expect(limits.maximumConnectionsPerAddress == 50 && limits.maximumBufferBytes == 64 << 20)
        #expect(limits.maximumFloodsPerAddress == 5)
        #expect(limits.minimumBodyRate == 1024 && limits.maximumHandshakesPerSecond == 500)
        #expect(limits.maximumPasswordChecksPerAddress == 30 && limits.tunnelIdleTimeout == 7_200_000)
        #expect(limits.decisionTimeout == 15_000 && configuration.forwardedFields == .forwarded)
        #expect(configuration.managedHeaders == ["X-Employee", "Impersonate-*"])
        let http2 = limits.http2
        #expect(http2.maximumStreams == 50 && http2.initialWindow == 128 << 10)
        #expect(http2.connectionWindow == 2 << 20 && http2.maximumResets == 20)
        #expect(http2.maximumSettings == 10 && http2.maximumPings == 30 && http2.maximumEmptyFrames == 40)
        #expect(http2.maximumWindowUpdates == 2000 && http2.maximumPriorities == 60)
        #expect(configuration.rateLimits.map(\.name) == ["api"])
        #expect(configuration.rateLimits[0].requests == 100 && configuration.rateLimits[0].burst == 20)
        #expect(configuration.rateLimits[0].perMilliseconds == 60_000 && configuration.rateLimits[0].key == .principal)
        let routes = configuration.routes
        #expect(
            routes.prefix(5).map(\.options.upgrades) == [
                ["websocket", "chat/2"], [], ["websocket"], ["websocket"], ["websocket"],
            ])
        guard case .named("api")? = routes[0].rateLimits.first, case .own(let own)? = routes[0].rateLimits.last else {
            Issue.record("\(routes[0].rateLimits)")
            return
        }
        #expect(own.requests == 5 && own.perMilliseconds == 10_000 && own.burst == 1 && own.key == .address)
    }

    @Test func burstIsTheRateByDefault() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway(#""rateLimits": { "a": { "requests": 7 } }"#)
        ])
        let limit = try #require(directory.load().configuration?.rateLimits.first)
        #expect(limit.burst == 7 && limit.perMilliseconds == 1000 && limit.key == .route)
    }

    /// A missing certificate is an error that says how to make one, once for both files.
    @Test(arguments: [("tls/cert.pem", "tls/key.pem", true), ("cert.pem", "my key.pem", false)])
    func missingCertificate(certificate: String, key: String, inFolder: Bool) throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": """
            { "baseUrl": "https://a.example", "listeners": [{ "address": "::1", "port": 443, "tls": {
              "certificates": [{ "certFile": "\(certificate)", "keyFile": "\(key)" }] } }] }
            """
        ])
        let folder = directory.url.standardizedFileURL.path(percentEncoded: false)
        let keyName = key.contains(" ") ? "'\(folder)/\(key)'" : "\(folder)/\(key)"
        let preparation = inFolder ? "mkdir -p \(folder)/tls && " : ""
        let command =
            "\(preparation)openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 "
            + "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 "
            + "-keyout \(keyName) -out \(folder)/\(certificate)"
        let errors = directory.load().lines(.error)
        #expect(
            errors == [
                "gateway.json:2: error: /listeners/0/tls/certificates/0/certFile: the file \"\(certificate)\" does not exist "
                    + "(expected a PEM file with certificates; to try it out, `\(command)` makes one)"
            ])
        // The command does what it says.
        #expect(try ChildProcess("/bin/sh", ["-c", command]).waitForEnd() == .exit(0))
        #expect(directory.load().diagnostics.map(\.pointer) == StoreSection.usualWarnings)
    }
}
