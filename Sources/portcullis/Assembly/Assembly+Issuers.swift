import Bytes
import Configuration
import Crypto
import Foundation
import Identity
import Issuers
import JOSE
import Model
import OAuthServer
import Policy
import Reactor

extension Assembly {
    /// The keys of the gateway's own tokens; nil after an error.
    mutating func signingKeys() -> SigningKeyRing? {
        let service = configuration.tokenService
        let algorithm = service.algorithm
        if let secret = service.key {
            retained.signingKeys.forget()
            do throws(KeyError) {
                return SigningKeyRing(active: try SigningKey(secret: Array(secret.value.utf8), algorithm: algorithm))
            } catch {
                self.error("/tokenService/key", "the key does not fit \(algorithm.rawValue): \(error.reason)")
                return nil
            }
        }
        if service.sharesKeys, tokenStore() == nil { return nil }
        let files = SigningKeyFiles(configuration, retained.store.opened)
        do throws(KeyFileError) {
            if retained.isServing {
                try retained.signingKeys.startFollowing(
                    files, patienceMilliseconds: configuration.store.staleAfter.milliseconds, retained.log)
            }
        } catch {
            self.error("/tokenService/sharedKeys", error.message)
            return nil
        }
        do throws(KeyFileError) {
            if let ring = try retained.signingKeys.read(files, configuration) { return ring }
            guard let key = signingKey(at: service.keyFile, algorithm, pointer: "/tokenService/keyFile") else {
                return nil
            }
            // Again, since the schedule begins with a key that has just been made.
            return try retained.signingKeys.read(files, configuration) ?? SigningKeyRing(active: key)
        } catch {
            self.error("/tokenService/keyFile", error.message)
            return nil
        }
    }

    mutating func signingKey(at path: String, _ algorithm: SignatureAlgorithm, pointer: String) -> SigningKey? {
        if !makesKeys, !FileManager.default.fileExists(atPath: path) { return SigningKey.generate(algorithm) }
        do throws(KeyFileError) {
            return try KeyFile.signingKey(at: path, algorithm: algorithm)
        } catch {
            self.error(pointer, error.message)
            return nil
        }
    }

    /// Keys that seal what clients carry: contexts of challenges, cookies and states of browsers.
    mutating func sealingKeys() -> AEADKeyRing? {
        let challenge = configuration.challenge
        var keys = challenge.keys
        if keys.isEmpty, !makesKeys, !FileManager.default.fileExists(atPath: challenge.keyFile) {
            keys = [SecureRandom.bytes(32)]
        }
        do throws(KeyFileError) {
            if keys.isEmpty { keys = try KeyFile.symmetricKeys(at: challenge.keyFile) }
            guard let ring = AEADKeyRing(keys.compactMap { AEADKey($0.span) }) else {
                error("/challenge/key", "a key must have 32 bytes")
                return nil
            }
            return ring
        } catch {
            self.error("/challenge/keyFile", error.message)
            return nil
        }
    }

    /// The modules that `issuers.json` can name.
    static let issuerModules: [IssuerModule] = [
        .embedded,
        .fixed,
        .oauth2,
        .login,
        .mobileSocial,
    ]

    /// The issuers of `issuers.json` by name.
    mutating func tokenIssuers(_ serviceKey: SigningKey?) -> [String: GuardedIssuer] {
        // The next process finds persisted tokens by the same settings.
        if configuration.issuedTokenCache.persists, let serviceKey {
            ConfigurationIdentity.bind(to: Array(serviceKey.pem.utf8))
        }
        let surroundings = IssuerDependencies(
            caller: retained.outbound, serviceKey: serviceKey, serviceIssuer: configuration.tokenService.issuer)
        var issuers: [String: GuardedIssuer] = [:]
        for entry in configuration.issuers {
            guard let module = module(entry), let reading = read(entry, module),
                let issuer = build(module, reading.settings, surroundings, at: entry.pointer)
            else { continue }
            issuers[entry.name] = GuardedIssuer(
                issuer, settings: reading.guarding, gate: retained.issuers.gate(entry.name, retained.log),
                clock: { Clock.monotonicMicroseconds })
        }
        let signed = SignedIdentity.issuers(
            configuration.routes, host: configuration.baseURL.host, key: serviceKey
        ) { retained.issuers.gate($0, retained.log) }
        issuers.merge(signed) { own, _ in own }
        retained.issuers.keep(only: Set(configuration.issuers.map(\.name) + signed.keys))
        return issuers
    }

    private mutating func module(_ entry: IssuerEntry) -> IssuerModule? {
        let known = Assembly.issuerModules.first { ([$0.kind] + $0.aliases).contains(entry.module) }
        if known == nil {
            let names = Assembly.issuerModules.flatMap { [$0.kind] + $0.aliases }
            report(
                "\(entry.pointer)/module", "there is no module \"\(entry.module)\"",
                expected: "one of \(names.joined(separator: ", "))", severity: .error)
        }
        return known
    }

    private mutating func build(
        _ module: IssuerModule, _ settings: ModuleSettings, _ surroundings: IssuerDependencies, at pointer: String
    ) -> (any TokenIssuer)? {
        do throws(IssuerProblem) {
            return try module.build(settings, surroundings)
        } catch {
            let place = error.pointer.isEmpty ? pointer : "\(pointer)/\(error.pointer)"
            report(place, error.message, expected: error.expected, severity: .error)
            return nil
        }
    }

    func ownIssuer(_ keys: SigningKeyRing) -> IssuerSettings {
        let service = configuration.tokenService
        let trust = TrustedIssuer(
            name: "local", issuer: service.issuer, audiences: [service.audience], keys: keys.accepted,
            algorithms: [keys.active.algorithm], purpose: .accessToken(isTyped: true, checksProofs: true),
            clockSkewSeconds: service.terms.clockSkew.components.seconds, own: true)
        return IssuerSettings(trust: trust, claims: .own)
    }

    mutating func trustedIssuers() -> [IssuerSettings] {
        var settings: [IssuerSettings] = []
        for (index, entry) in configuration.trustedIssuers.enumerated() where entry.introspection == nil {
            let pointer = "/trustedIssuers/\(index)"
            let decryptionKeys = DecryptionKeyEntry.keys(
                entry.decryptionKeys, &self, at: "\(pointer)/decryptionKeys")
            guard let keys = keys(of: entry, at: pointer) else { continue }
            var trust = TrustedIssuer(
                name: entry.name, issuer: entry.issuer, audiences: entry.audiences,
                requireAudience: entry.requireAudience, keys: keys,
                purpose: entry.purpose(configuration.backends), clockSkewSeconds: entry.clockSkew.components.seconds,
                maximumLifetimeSeconds: entry.maximumLifetime?.components.seconds)
            if let algorithms = entry.algorithms { trust.algorithms = algorithms }
            trust.decryption = TokenDecryption(keys: decryptionKeys, isRequired: entry.encryption == .required)
            let claims = IssuerSettings.Claims.outside(
                entry.users, level: entry.level, backendID: entry.backend.flatMap(backendID))
            var issuer = IssuerSettings(trust: trust, claims: claims)
            issuer.tokenSources = entry.tokenSources
            issuer.levelsByMethod = entry.levelsByMethod
            issuer.requiresProof = entry.requiresProof
            settings.append(issuer)
        }
        return settings
    }

    mutating func keySet(_ path: String, pointer: String) -> KeySet? {
        contents(of: path, at: pointer).flatMap { keySet($0, from: path, pointer: pointer) }
    }

    /// - Parameter path: origin of the text, for messages.
    mutating func keySet(_ bytes: [UInt8], from path: String, pointer: String) -> KeySet? {
        do throws(KeySetError) {
            return try KeySet(jwks: bytes.span)
        } catch {
            self.error(pointer, "\(path): \(error)")
            return nil
        }
    }

    mutating func tokenService(
        _ keys: SigningKeyRing, _ possession: ClientPossession, _ modules: [String: GuardedIssuer],
        _ users: UserStore, _ backends: BackendStore,
        _ catalogue: RoleCatalogue, _ assertions: AssertionSources, _ store: RetainedStore.Opened
    ) -> TokenService {
        let service = configuration.tokenService
        var published: [JSONWebKey] = []
        let issuerKeys = configuration.issuers.flatMap { modules[$0.name]?.publishedKeys ?? [] }
        for candidate in [keys.active] + keys.others + issuerKeys {
            let kid = JWTSigner(key: candidate).keyID
            if candidate.algorithm.isSymmetric || published.contains(where: { $0.kid == kid }) { continue }
            published.append(JSONWebKey(candidate, kid: kid))
        }
        for key in providerKeys where !published.contains(where: { $0.kid == key.kid }) { published.append(key) }
        var settings = TokenServiceSettings(
            issuer: service.issuer, audience: [service.audience], baseURL: configuration.baseURL.description,
            signer: keys.signer, publishedKeys: KeySet(keys: published), users: users, backends: backends,
            catalogue: catalogue, revocations: retained.revocations, store: store.tokens, storeKey: store.key)
        settings.acceptedKeys = keys.accepted
        settings.possession = possession
        settings.throttle = retained.throttle
        settings.clientThrottle = retained.clientThrottle
        settings.deviceThrottle = retained.deviceThrottle
        settings.deviceBeginThrottle = retained.deviceBeginThrottle
        settings.registration = service.registration.flatMap { section in
            backendID(section.backend).map {
                RegistrationSettings(section, sponsorID: $0, retained.registrationThrottle)
            }
        }
        settings.paths = service.paths
        settings.terms = service.terms
        settings.assertions = assertions
        settings.resourceServers = resourceServers()
        settings.grantIssuers = grantIssuers(modules, catalogue)
        for family in retained.families { family.announce(in: &settings, &self) }
        return TokenService(settings: settings)
    }
}

extension TrustedIssuerEntry {
    /// - Parameter backends: all backends of the gateway.
    fileprivate func purpose(_ backends: [BackendEntry]) -> TokenPurpose {
        let known = clients(backends)
        // Without `aud` nothing else tells for which API a token is.
        let others = requireAudience ? TokenPurpose.Parties.outsideAudience(known: known) : .only(known)
        return .accessToken(
            isTyped: tokenType == .accessToken, acceptsIDTokens: acceptIDTokens,
            parties: listedClients(backends) ?? others, checksProofs: true)
    }

    /// Nil where the entry lists no clients.
    /// - Parameter backends: all backends of the gateway.
    func listedClients(_ backends: [BackendEntry]) -> TokenPurpose.Parties? {
        authorizedParties.isEmpty ? nil : .listed(clients(backends))
    }

    /// The clients that the entry and the gateway know.
    private func clients(_ backends: [BackendEntry]) -> [String] {
        let own = backends.filter { backend == nil || backend == $0.backend.reference }
        return audiences + authorizedParties + own.map(\.backend.clientID).filter { !$0.isEmpty }
    }
}
