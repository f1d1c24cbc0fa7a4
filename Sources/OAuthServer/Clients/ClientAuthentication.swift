import Bytes
import Endpoints
import Identity
import JOSE
import Model
import Outbound

/// Finds out which client asks for a token: by its secret, or by an assertion that it has signed, and never by both
/// (RFC 6749 section 2.3).
struct ClientAuthentication: Sendable {
    /// A client that has shown who it is.
    struct Proof: Sendable {
        let client: Client
        /// The id that must be new for the proof to count; nil for a secret.
        var singleUse: ClientAssertion.SingleUse?
    }

    private let clients: Clients
    private var assertions: ClientAssertionVerifier
    private let ownOrigins: [WebOrigin]
    let throttle: ClientThrottle
    /// The client that has registered itself and is named by the request; nil for none.
    private(set) var registered: Client?
    /// Compared with when there is no such client, so that both cases take the same time.
    private let decoy: Client

    /// - Parameter audiences: what an assertion may be addressed to: the issuer and the token endpoint.
    /// - Parameter ownOrigins: those of the gateway, whose pages may send requests of all clients.
    init(clients: Clients, audiences: [String], ownOrigins: [WebOrigin], throttle: ClientThrottle) {
        self.ownOrigins = ownOrigins
        self.clients = clients
        self.throttle = throttle
        assertions = ClientAssertionVerifier(clients: clients, audiences: audiences)
        decoy = Client(
            name: "", version: "", id: "", clientSecret: Secret(AccessTokenMinter.randomID()))
    }

    /// Continues with these clients and, if the request names one that has registered itself, with that one.
    /// - Parameter begins: whether the request gives nothing, so that a client may be known by its URL alone.
    func naming(
        _ request: EndpointRequest, _ settings: TokenServiceSettings, begins: Bool = false, now: Int64,
        _ next: @escaping @Sendable (ClientAuthentication) throws(TokenFailure) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let answer = { @Sendable (clients: ClientAuthentication) -> Effect<EndpointResponse> in
            do throws(TokenFailure) { return try next(clients) } catch {
                let compared = error == .invalidClient ? clients.evidence(on: request) : []
                return .done(error.response.comparing(compared))
            }
        }
        guard settings.registration != nil, let id = ClientAuthentication.namedClient(request),
            RegisteredClients.names(id), self.clients.client(clientID: id) == nil,
            let known = RegisteredClients(settings)
        else { return answer(self) }
        return (begins ? known.client(id, now: now) : known.current(id, now: now)).then { found in
            guard case .success(let found) = found else { return .done(TokenFailure.storeUnavailable.response) }
            var clients = self
            clients.registered = found?.client
            if let (client, held) = found, let keys = held.metadata.keys {
                clients.assertions = ClientAssertionVerifier(
                    clients: Clients([client], clientKeys: [client.id: keys]), audiences: assertions.audiences)
            }
            // Others than those with a credential are no better known by an old document.
            if begins, let form = try? TokenForm(request), form["client_assertion"] == nil,
                found.map({ $0.held.freshUntil <= now }) ?? true, let document = ClientDocument(id, settings)
            {
                clients.registered = document.unproven(redirectURI: form["redirect_uri"])
            }
            return answer(clients)
        }
    }

    /// The id that a request names, which nothing proves.
    private static func namedClient(_ request: EndpointRequest) -> String? {
        guard let form = try? TokenForm(request) else { return nil }
        guard let secret = try? PresentedSecret(request.authorization, form) else {
            return form["client_id"]
                ?? form["client_assertion"].flatMap { try? ReceivedToken(Array($0.utf8).span) }?.claims["sub"]?.string
        }
        return secret.readings.first.flatMap { String(streamSafe: $0.id) }
    }

    /// What is known of the client that a refused request names.
    private func evidence(on request: EndpointRequest) -> [String] {
        guard let id = ClientAuthentication.namedClient(request) else { return ["the request names no client"] }
        let standing =
            switch client(clientID: id) {
            case nil: "is unknown"
            case let client? where client.isRevoked: "is revoked"
            case _?: "has another credential"
            }
        return ["client \(Evidence.quoted(id)) \(standing)"]
    }

    private func client(clientID: String) -> Client? {
        if let registered, registered.clientID.isExactly(clientID) { return registered }
        return clients.client(clientID: clientID)
    }

    /// The client, whose OAuth switch is on.
    /// - Parameters:
    ///   - allowsPublic: whether a client without a credential may name itself (RFC 6749 section 3.2.1).
    ///   - now: seconds since 1970.
    func authenticate(
        _ request: EndpointRequest, _ form: TokenForm, allowsPublic: Bool = false, now: Int64
    ) throws(TokenFailure) -> Proof {
        let proof =
            if allowsPublic, let client = publicClient(request, form) {
                Proof(client: client)
            } else if let assertion = try ClientAssertion(request.authorization, form) {
                try assertions.verify(assertion, now: now)
            } else {
                Proof(
                    client: try authenticate(
                        PresentedSecret(request.authorization, form), from: ClientOrigin(request, now: now)))
            }
        // Said only to the client itself.
        guard proof.client.oauthConsumer else { throw .unauthorizedClient }
        guard admits(proof.client, from: ClientOrigin(request, now: now)) else { throw .foreignOrigin }
        return proof
    }

    /// Whether a client's request may come from its page, if it comes from one.
    func admits(_ client: Client, from origin: ClientOrigin) -> Bool {
        guard let allowed = client.grants.allowedOrigins, let page = origin.page else { return true }
        return ownOrigins.contains { "\($0)".isExactly(page) } || allowed.allows(Array(page.utf8).span)
    }

    /// The public client that a request without any credential names. An empty secret, which some libraries send for such
    /// a client, is none.
    private func publicClient(_ request: EndpointRequest, _ form: TokenForm) -> Client? {
        guard form["client_assertion"] == nil, form["client_assertion_type"] == nil else { return nil }
        func named(_ id: String) -> Client? { client(clientID: id).flatMap { $0.grants.isPublic ? $0 : nil } }
        if request.authorization.isEmpty, form["client_secret"] == nil { return form["client_id"].flatMap(named) }
        guard let presented = try? PresentedSecret(request.authorization, form) else { return nil }
        for reading in presented.readings where reading.secret.isEmpty {
            guard let id = String(streamSafe: reading.id), let client = named(id) else { continue }
            return (try? presented.check(clientID: client.clientID)) == nil ? nil : client
        }
        return nil
    }

    /// The client whose secret was presented.
    func authenticate(
        _ presented: PresentedSecret, from origin: ClientOrigin
    ) throws(TokenFailure) -> Client {
        // Counted by client, in any spelling of its id. Unknown ids are counted by network only.
        let found = try throttle.first(of: presented, from: origin) {
            client(of: $0)?.clientID ?? ""
        } owner: { reading in
            let client = client(of: reading)
            return (client ?? decoy).hasSecret(reading.secret.span) ? client : nil
        }
        guard let found else { throw .invalidClient }
        try presented.check(clientID: found.clientID)
        return found
    }

    private func client(of reading: PresentedSecret.Pair) -> Client? {
        String(streamSafe: reading.id).flatMap { client(clientID: $0) }
    }
}
