import Bytes
import Identity
import Model
import Outbound
import TokenStorage

/// How clients register themselves.
package struct RegistrationSettings: Sendable {
    package var rules: RegistrationRules
    /// `Client.id` of their sponsor.
    package var sponsorID: String
    /// SHA-256 digests of the initial access tokens.
    package var tokenDigests: [[UInt8]] = []
    /// Limits how many clients a network registers without one.
    package var throttle = LoginThrottle(RegistrationSettings.limits)
    /// How clients are found by the URLs of their metadata; nil where they are not.
    package var documents: ClientDocumentSettings?
    /// Whether a route gives tokens of registered clients all roles of their users.
    package var isTrustedByRoutes = false

    /// Of one network, in five minutes.
    package static let limits: LoginThrottleSettings = {
        var limits = LoginThrottleSettings()
        limits.failuresPerNetwork = 20
        return limits
    }()

    package init(_ rules: RegistrationRules, sponsorID: String) {
        self.rules = rules
        self.sponsorID = sponsorID
    }

    /// Whether the endpoint registers any client.
    var hasEndpoint: Bool { rules.isOpen || !tokenDigests.isEmpty }
}

/// A client that has registered itself.
package struct RegisteredClient: Sendable {
    let id: String
    let metadata: ClientMetadata
    /// SHA-256 digest of its secret, which is random; nil without one.
    let secretDigest: [UInt8]?
    /// Seconds since 1970 until when its document is not fetched again; 0 without a document.
    var freshUntil: Int64 = 0

    init(id: String, _ metadata: ClientMetadata, secretDigest: [UInt8]?) {
        self.id = id
        self.metadata = metadata
        self.secretDigest = secretDigest
    }

    /// Nil for another record.
    init?(_ record: TokenRecord) {
        guard record.kind == .dynamicClient, let node = try? JSONNode.parse(record.attributes.span, maximumDepth: 16),
            let metadata = try? ClientMetadata(node)
        else { return nil }
        let secret = node["secret"]?.string.map { Base64.decode(Array($0.utf8).span, .url) }
        // A client with a secret must not become a public one.
        guard metadata.method.hasSecret == (secret != nil), !(secret.map { $0 == nil } ?? false) else { return nil }
        self.init(id: record.id, metadata, secretDigest: secret ?? nil)
        freshUntil = node["fresh_until"]?.integer ?? 0
    }

    /// A client that was found before its user logged in, with what the login needs of it.
    /// - Parameter redirectURI: that of the request; nil for a device.
    package init(id: String, title: String, redirectURI: String?) {
        var metadata = ClientMetadata()
        metadata.name = title
        metadata.redirectURIs =
            redirectURI.flatMap { try? ClientRedirectURI($0) }.map { [$0] } ?? []
        self.init(id: id, metadata, secretDigest: nil)
    }

    /// `TokenRecord.attributes`.
    var attributes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        metadata.write(to: &writer)
        if let secretDigest {
            writer.member("secret", String(decoding: Base64.encode(secretDigest.span, .url), as: UTF8.self))
        }
        if freshUntil > 0 { writer.member("fresh_until", freshUntil) }
        writer.endObject()
        return writer.bytes
    }
}

/// The registered clients in the store, which the gateways that share it have in common.
package struct RegisteredClients: Sendable {
    /// How their ids begin.
    static let prefix = "dcr-"
    /// `TokenRecord.application` of their records.
    static let application = "registered clients"
    /// How long a client that has registered without an initial access token may take to its first tokens, in seconds, so
    /// that clients that are made for nothing do not fill the store for long.
    static let trialSeconds: Int64 = 86_400
    /// A use of a client is stored once in this time, in seconds.
    private static let renewalSeconds: Int64 = 86_400
    /// How often a slot is looked for that others have not taken meanwhile.
    private static let attempts = 8

    let settings: TokenServiceSettings
    let registration: RegistrationSettings

    /// Nil where clients do not register themselves.
    init?(_ settings: TokenServiceSettings) {
        guard let registration = settings.currentRegistration else { return nil }
        self.settings = settings
        self.registration = registration
    }

    /// Whether an id has the form of theirs.
    package static func names(_ id: String) -> Bool { id.utf8.starts(with: prefix.utf8) || ClientDocument.names(id) }

    /// The record of a client. Fails with the store.
    func find(_ id: String, now: Int64) -> Effect<Result<TokenRecord?, StoreFailure>> {
        RegisteredClients.names(id) ? find(.id(id), now: now) : .done(.success(nil))
    }

    /// The same, whose document is fetched again when it no longer counts: keys that it has given up count no longer. While it
    /// cannot be fetched, the last one counts for a day. One that the store does not have is not fetched.
    func current(_ id: String, now: Int64) -> Effect<Result<(client: Client, held: RegisteredClient)?, StoreFailure>> {
        client(id, now: now).then { found in
            guard case .success((_, let held)?) = found, held.freshUntil <= now,
                let document = ClientDocument(id, settings)
            else { return .done(found) }
            return document.client(for: "client \(id)", now: now).then { fetched in
                if case .success = fetched { return client(id, now: now) }
                return .done(held.freshUntil + ClientDocument.mostSeconds > now ? found : .success(nil))
            }
        }
    }

    /// A client with what the store has of it; nil for none. Fails with the store.
    func client(_ id: String, now: Int64) -> Effect<Result<(client: Client, held: RegisteredClient)?, StoreFailure>> {
        find(id, now: now).map { found in
            found.map { record in
                record.flatMap(RegisteredClient.init).flatMap { held in
                    settings.client(of: held).map { (client: $0, held: held) }
                }
            }
        }
    }

    /// The record of a client by the token of its registration. Fails with the store.
    func find(registeredWith token: Span<UInt8>, now: Int64) -> Effect<Result<TokenRecord?, StoreFailure>> {
        find(.access(settings.storeKey.digest(token)), now: now)
    }

    private func find(_ key: TokenKey, now: Int64) -> Effect<Result<TokenRecord?, StoreFailure>> {
        settings.store.ask(.find(key), now: now) { answer in
            switch answer {
            case .success(.record(let record?)) where record.kind == .dynamicClient && record.accessLives(at: now):
                .done(.success(record))
            case .success: .done(.success(nil))
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }

    // MARK: Number

    /// Stores a client in one of a limited number of slots, so that gateways that register clients at the same time stay
    /// within the limit: false if there are as many clients, in these slots or others. Fails with the store.
    func add(_ record: TokenRecord, limit: Int, now: Int64) -> Effect<Result<Bool, StoreFailure>> {
        add(record, limit: limit, attempts: RegisteredClients.attempts, now: now)
    }

    private func add(
        _ record: TokenRecord, limit: Int, attempts: Int, now: Int64
    ) -> Effect<Result<Bool, StoreFailure>> {
        let list = StoreOperation.list(application: RegisteredClients.application, subject: nil, limit: .max)
        return settings.store.ask(list, now: now) { answer in
            let records: [TokenRecord]
            switch answer {
            case .success(.records(let list)): records = list.filter { $0.accessLives(at: now) }
            case .success: return .done(.failure(.malformed))
            case .failure(let failure): return .done(.failure(failure))
            }
            let taken = Set(records.map(\.slot))
            let free = (0..<limit).filter { !taken.contains(RegisteredClients.slot($0)) }.randomElement()
            guard records.count < limit, let free, attempts > 0 else { return .done(.success(false)) }
            return claim(record, free, now: now).then { added in
                guard case .success(false) = added else { return .done(added) }
                return add(record, limit: limit, attempts: attempts - 1, now: now)
            }
        }
    }

    private func claim(_ record: TokenRecord, _ number: Int, now: Int64) -> Effect<Result<Bool, StoreFailure>> {
        var record = record
        record.slot = RegisteredClients.slot(number)
        return settings.store.ask(.claim(record), now: now) { [record] answer in
            switch answer {
            case .success(.record(let holder?)): .done(.success(holder.id.isExactly(record.id)))
            case .success: .done(.success(false))
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }

    private static func slot(_ number: Int) -> String { "\(application) \(number)" }

    /// Puts off the end of a client that has got tokens. A failing store only means that it ends earlier.
    func renew(_ id: String, now: Int64) -> Effect<Void> {
        let end = now + registration.rules.lifetimeSeconds
        return find(id, now: now).then { found in
            guard case .success(let record?) = found,
                record.accessExpiresAt < end - min(RegisteredClients.renewalSeconds, end - now) / 2
            else { return .done(()) }
            // Unlike an insertion, this does not bring back a client that has ended meanwhile.
            let use = TokenUse(id: record.id, usedAt: 0, accessUntil: end)
            return settings.store.ask(.touch([use]), now: now) { _ in .done(()) }
        }
    }
}

extension TokenServiceSettings {
    /// The client with an id, from the configuration or registered by itself; nil for none. Fails with the store.
    package func client(_ id: String, now: Int64) -> Effect<Result<Client?, StoreFailure>> {
        if let client = clients.client(clientID: id) { return .done(.success(client)) }
        guard let clients = RegisteredClients(self) else { return .done(.success(nil)) }
        return clients.client(id, now: now).map { found in found.map { $0?.client } }
    }

    /// How clients register themselves, without what another gateway has withdrawn; nil where they do not.
    var currentRegistration: RegistrationSettings? {
        guard let registration else { return nil }
        func isWithdrawn(_ name: RegistrationRight, _ value: String = "") -> Bool {
            clients.hasWithdrawn(
                .setting(backendID: registration.sponsorID, name: name.rawValue, value: value))
        }
        if isWithdrawn(.registration) { return nil }
        var current = registration
        if current.rules.isOpen, isWithdrawn(.open) { current.rules.isOpen = false }
        current.tokenDigests.removeAll { isWithdrawn(.token, RegistrationRight.value(ofDigest: $0)) }
        current.documents?.rules.hosts.removeAll { isWithdrawn(.document, RegistrationRight.value(of: $0)) }
        return current
    }

    /// The client of the configuration that clients that have registered themselves belong to; nil for none.
    var sponsor: Client? {
        guard let registration = currentRegistration else { return nil }
        let client = clients.client(id: Array(registration.sponsorID.utf8).span)
        return client.flatMap { $0.oauthConsumer && !$0.isRevoked ? $0 : nil }
    }

    /// A registered client with the rights that the current configuration leaves it; nil if it has none.
    package func client(of registered: RegisteredClient) -> Client? {
        guard let registration, let sponsor else { return nil }
        let (rules, metadata) = (registration.rules, registered.metadata)
        let document = ClientDocument(registered.id, self)
        if ClientDocument.names(registered.id), (try? document?.url()) == nil { return nil }
        var grants = ClientGrants()
        grants.accessTokenSeconds = sponsor.grants.accessTokenSeconds
        grants.requiresProofKey = sponsor.grants.requiresProofKey
        grants.bindsToCertificate = sponsor.grants.bindsToCertificate
        grants.idTokenAlgorithm = metadata.idTokenAlgorithm
        grants.allowedOrigins = sponsor.grants.allowedOrigins
        if metadata.grantTypes.contains(ClientMetadata.refreshGrant) { grants.refresh = sponsor.grants.refresh }
        // The holder of the host answers for what a document says.
        let allow = document == nil ? rules.allow : { _ in true }
        let redirectURIs = metadata.usesCodes ? metadata.redirectURIs.filter(allow) : []
        if !redirectURIs.isEmpty {
            grants.authorization = AuthorizationRules(redirectURIs: redirectURIs)
            grants.authorization?.postLogoutURIs = metadata.postLogoutURIs.filter(allow)
        }
        grants.allowsDevices = rules.allowsDevices && metadata.usesDevices && document == nil
        grants.isPublic = metadata.method == .none
        // Not only those that it registered with: clients ask for more as they need them, and the user consents each time.
        grants.scopes = registrableScopes
        return sponsor.sponsoring(
            registered.id, title: metadata.name ?? ClientDocument.host(of: registered.id) ?? registered.id,
            secretDigest: registered.secretDigest, grants)
    }

    /// The scopes that registered clients may have.
    var registrableScopes: [String] {
        guard let scopes = registration?.rules.scopes else { return scopesOfUsers }
        return scopesOfUsers.filter { own in scopes.contains { $0.isExactly(own) } }
    }

    /// The scopes that users of a client may be asked about.
    package func scopes(of client: Client) -> [String] { client.grants.scopes ?? scopesOfUsers }

    /// Gives a token with its scope the roles of its user: all, or for a registered client those that the scope gives.
    func give(_ roles: [String], to grant: inout AccessTokenMinter.Grant) {
        grant.roles = roles
        guard grant.client.isRegistered else { return }
        let scopes = (grant.scope ?? "").split(separator: " ").map(String.init)
        let given = catalogue.roles(named: scopes.flatMap { registration?.rules.scopeRoles[$0] ?? [] })
        grant.userRoles = roles
        grant.roles = catalogue.names(of: given.intersection(catalogue.roles(named: roles)))
    }

    /// What a registered client may still have of an earlier scope; that scope for other clients.
    func remaining(_ scope: String, of client: Client) throws(TokenFailure) -> String {
        guard let current = client.grants.scopes, !scope.isEmpty else { return scope }
        let left = scope.split(separator: " ").map(String.init).filter { name in current.contains { $0.isExactly(name) }
        }
        guard !left.isEmpty else { throw .invalidScope }
        return left.joined(separator: " ")
    }
}
