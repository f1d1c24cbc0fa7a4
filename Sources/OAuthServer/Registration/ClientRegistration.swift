import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import TokenStorage

/// The registration endpoint (RFC 7591), and below it the registration of a client, which it reads and ends (RFC 7592). It
/// changes nothing: clients register anew.
struct ClientRegistration: Sendable {
    /// What all guesses of initial access tokens are counted by.
    private static let guesses = "initial access token"

    let service: TokenService

    private var settings: TokenServiceSettings { service.settings }

    func answer(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let clients = RegisteredClients(settings) else { return .done(.problem(.notFound, "nothing is here")) }
        guard request.method == .post else { return .done(.methodNotAllowed("POST")) }
        if let refusal = refusal(request, clients.registration, now: now) {
            return .done(refusal.audited("register", .refused))
        }
        do throws(RegistrationFailure) {
            let metadata = try metadata(request, clients.registration.rules)
            return register(metadata, clients, isKnown: !request.authorization.isEmpty, now: now)
        } catch {
            return .done(error.response.audited("register", .refused))
        }
    }

    // MARK: Registration

    /// Nil for a caller that may register clients (RFC 7591 section 3).
    private func refusal(
        _ request: EndpointRequest, _ registration: RegistrationSettings, now: Int64
    ) -> EndpointResponse? {
        if request.authorization.isEmpty, registration.rules.isOpen {
            let network = request.address?.subscriberBytes ?? []
            let isWithin = registration.throttle.count(network: network, now: now) == nil
            return isWithin ? nil : TokenFailure.loginThrottled.response
        }
        guard let token = request.credentials() else { return RegistrationFailure.token.response }
        let attempt = settings.clientThrottle.admit(
            ClientRegistration.guesses, secret: token, from: ClientOrigin(request, now: now))
        guard let attempt else { return TokenFailure.clientThrottled.response }
        let digest = DigestAlgorithm.sha256.digest(token.span)
        // All are compared, so that the time taken does not tell which one is right.
        let isRight = registration.tokenDigests.reduce(false) { constantTimeEqual($1.span, digest.span) || $0 }
        guard isRight else {
            attempt.failed()
            return RegistrationFailure.token.response
        }
        attempt.succeeded()
        return nil
    }

    /// What a client gets of the metadata that it asks for (RFC 7591 section 2).
    private func metadata(
        _ request: EndpointRequest, _ rules: RegistrationRules
    ) throws(RegistrationFailure) -> ClientMetadata {
        guard request.hasJSONBody, let node = try? JSONNode.parse(request.body.span, maximumDepth: 8) else {
            throw .metadata("the body is not JSON of the type application/json")
        }
        var metadata = try ClientMetadata(node)
        guard metadata.method != .privateKey else {
            throw .metadata("token_endpoint_auth_method is none, client_secret_basic or client_secret_post")
        }
        for uri in metadata.redirectURIs + metadata.postLogoutURIs where !rules.allow(uri) {
            throw .redirect("this server sends no browsers to \(uri.text)")
        }
        guard rules.allowsDevices || !metadata.usesDevices else { throw .metadata("the device grant is off") }
        if let algorithm = metadata.idTokenAlgorithm, !settings.keys.idTokenAlgorithms.contains(algorithm) {
            throw .metadata("no key of this server signs ID tokens with \(algorithm.rawValue)")
        }
        if settings.sponsor?.grants.refresh == nil {
            metadata.grantTypes.removeAll { $0 == ClientMetadata.refreshGrant }
        }
        let allowed = settings.registrableScopes
        do throws(TokenFailure) {
            let scopes = try metadata.scope.map { text throws(TokenFailure) in
                try GrantedScope.grantable(text, allowed)
            }
            metadata.scope = (scopes ?? allowed).joined(separator: " ")
        } catch {
            throw .metadata("scope has no scope that clients can register for")
        }
        return metadata
    }

    /// - Parameter isKnown: whether the caller has an initial access token.
    private func register(
        _ metadata: ClientMetadata, _ clients: RegisteredClients, isKnown: Bool, now: Int64
    ) -> Effect<EndpointResponse> {
        guard settings.sponsor != nil else { return .done(TokenFailure.storeUnavailable.response) }
        let rules = clients.registration.rules
        let secret = metadata.method == .none ? nil : RefreshFamily.randomToken()
        let token = RefreshFamily.randomToken()
        let client = RegisteredClient(
            id: RegisteredClients.prefix + AccessTokenMinter.randomID(), metadata,
            secretDigest: secret.map { DigestAlgorithm.sha256.digest(Array($0.utf8).span) })
        let seconds = isKnown ? rules.lifetimeSeconds : min(rules.lifetimeSeconds, RegisteredClients.trialSeconds)
        var record = TokenRecord(
            id: client.id, kind: .dynamicClient, application: RegisteredClients.application, subject: "", tokenID: "",
            accessExpiresAt: now + seconds, issuedAt: now)
        record.accessDigest = settings.storeKey.digest(token)
        record.attributes = client.attributes
        // Unknown callers leave room for those with a token.
        let limit = isKnown ? rules.maximumClients : rules.maximumUnknownClients
        return clients.add(record, limit: limit, now: now).map { [record] added in
            switch added {
            case .failure: TokenFailure.storeUnavailable.response
            case .success(false): RegistrationFailure.full.response.audited("register", .refused)
            case .success(true):
                .token(
                    status: 201, body: description(of: client, record, secret: secret, token: token),
                    reason: .clientRegistered
                ).audited("register", .granted, client: client.id)
            }
        }
    }

    /// RFC 7591 section 3.2.1, RFC 7592 section 3.
    /// - Parameter secret: nil for none, or one that was shown before.
    private func description(
        of client: RegisteredClient, _ record: TokenRecord, secret: String?, token: String
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("client_id", client.id)
        writer.member("client_id_issued_at", record.issuedAt)
        if let secret { writer.member("client_secret", secret) }
        // It lives as long as the client.
        if client.secretDigest != nil { writer.member("client_secret_expires_at", 0) }
        writer.member("registration_access_token", token)
        writer.member(
            "registration_client_uri", "\(settings.baseURL)\(settings.paths[.registeredClient])\(client.id)")
        client.metadata.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    // MARK: Management

    func manage(_ request: EndpointRequest, now: Int64) -> Effect<EndpointResponse> {
        guard let clients = RegisteredClients(settings) else { return .done(.problem(.notFound, "nothing is here")) }
        let id = String(request.path.dropFirst(settings.paths[.registeredClient].count))
        guard request.method == .get || request.method == .delete else {
            return .done(.methodNotAllowed("GET, DELETE"))
        }
        guard let token = request.credentials() else { return .done(RegistrationFailure.token.response) }
        return clients.find(registeredWith: token.span, now: now).then { found in
            guard case .success(let record) = found else { return .done(TokenFailure.storeUnavailable.response) }
            // An unknown client is answered like a wrong token (RFC 7592 section 2.1).
            guard let record, record.id.isExactly(id), let client = RegisteredClient(record) else {
                return .done(RegistrationFailure.token.response)
            }
            if request.method == .delete { return end(id, now: now) }
            let body = description(of: client, record, secret: nil, token: String(decoding: token, as: UTF8.self))
            return .done(.token(status: 200, body: body, reason: .registrationRead))
        }
    }

    /// Ends a client with its codes and tokens (RFC 7592 section 2.3).
    private func end(_ id: String, now: Int64) -> Effect<EndpointResponse> {
        service.ask(.revoke(.id(id)), now: now) { _ in
            service.ask(.revoke(.application(id)), now: now) { answer in
                if case .removed(let records) = answer { service.end(records) }
                return .done(
                    .token(status: 204, body: [], reason: .registrationEnded)
                        .audited("unregister", .changed, client: id))
            }
        }
    }
}
