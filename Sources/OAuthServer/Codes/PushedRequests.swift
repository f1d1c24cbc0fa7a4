import Bytes
import Crypto
import Endpoints
import HTTP
import JOSE
import Model
import Outbound
import TokenStorage

/// Authorization requests that clients send to the gateway itself (RFC 9126): the browser carries a reference, so that
/// the request can be neither read nor changed on the way. The reference of a public client is the sealed request itself.
package struct PushedRequests: Sendable {
    /// How long a reference may wait for its browser, in seconds.
    package static let lifetimeSeconds: Int64 = 90
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    /// An error of the authorization endpoint.
    package struct Refusal: Error, Sendable {
        let error: String
        let description: String
        let reason: Reason

        package init(_ error: String, _ description: String, _ reason: Reason) {
            self.error = error
            self.description = description
            self.reason = reason
        }

        var response: EndpointResponse {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("error", error)
            writer.member("error_description", description)
            writer.endObject()
            return .token(status: 400, body: writer.bytes, reason: reason)
        }
    }

    /// Returns the text to store for a valid request of a client.
    package typealias Check = @Sendable (FormFields, Client) -> Result<String, Refusal>

    private let service: TokenService
    private let seal: SealedRecord

    /// - Parameter seal: makes the references of public clients.
    package init(_ service: TokenService, _ seal: SealedRecord) {
        self.service = service
        self.seal = seal
    }

    /// Stores a request of an authenticated client (section 2).
    package func receive(
        _ request: EndpointRequest, now: Int64, _ check: @escaping Check
    ) -> Effect<EndpointResponse> {
        service.clients.naming(request, service.settings, begins: true, now: now) { clients throws(TokenFailure) in
            try receive(request, clients, now: now, check)
        }
    }

    private func receive(
        _ request: EndpointRequest, _ clients: ClientAuthentication, now: Int64, _ check: @escaping Check
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let proof = try clients.authenticate(request, form, allowsPublic: true, now: now)
        let client = proof.client
        guard client.grants.authorization != nil else { throw .grantNotAllowed }
        let fields = try fields(of: request, now: now)
        return service.admitted(proof, now: now) { () throws(TokenFailure) in
            switch check(fields, client) {
            case .success(let text):
                takesNoRoom(client) ? .done(seal(text, now: now)) : store(text, client, now: now)
            case .failure(let refusal):
                .done(refusal.response.audited("par", .refused, client: client.reference))
            }
        }
    }

    /// The fields of a request. A proof binds the code as the parameter does (RFC 9449 section 10.1), and may not
    /// contradict it.
    private func fields(of request: EndpointRequest, now: Int64) throws(TokenFailure) -> FormFields {
        guard let fields = try? FormFields.parse(request.body.span) else { throw .malformedForm }
        guard let key = try service.settings.possession.shownKey(request, now: now)?.thumbprint else { return fields }
        let name = AuthorizationCode.proofKeyParameter
        guard fields.first(name)?.isExactly(key) ?? true else { throw .invalidProof }
        return fields.supplying(name, key)
    }

    /// Whether any caller can push in the name of a client, or register such a client.
    private func takesNoRoom(_ client: Client) -> Bool { client.grants.isPublic || client.isRegistered }

    /// Any caller can push requests for a public client, so they are kept in the reference and not in the
    /// store. It may be used more than once, as section 4 allows.
    private func seal(_ text: String, now: Int64) -> EndpointResponse {
        pushed(PushedRequests.prefix + seal.seal([text], expiresAt: now + PushedRequests.lifetimeSeconds))
    }

    private func pushed(_ uri: String) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("request_uri", uri)
        writer.member("expires_in", PushedRequests.lifetimeSeconds)
        writer.endObject()
        return .token(status: 201, body: writer.bytes, reason: .authorizationPushed)
    }

    private func store(_ text: String, _ client: Client, now: Int64) -> Effect<EndpointResponse> {
        let uri = PushedRequests.prefix + RefreshFamily.randomToken()
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .pushed, application: client.id, subject: "",
            tokenID: "", accessExpiresAt: now + PushedRequests.lifetimeSeconds, issuedAt: now)
        record.accessDigest = service.settings.storeKey.digest(uri)
        record.attributes = Array(text.utf8)
        return service.ask(.insert(record), now: now) { answer in
            guard case .record = answer else { return .done(TokenFailure.storeUnavailable.response) }
            return .done(pushed(uri))
        }
    }

    /// Whether a text is a reference to a pushed request.
    package static func isReference(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// The text of a request, once unless the client is public; nil for an unknown, expired or used reference. That of a
    /// public client names its client, which the caller compares. Fails with the store.
    package func take(_ uri: String, of client: Client, now: Int64) -> Effect<Result<String?, StoreFailure>> {
        if takesNoRoom(client) {
            let sealed = Array(uri.utf8.dropFirst(PushedRequests.prefix.utf8.count))
            let texts = (try? seal.open(sealed.span, now: now))?.texts ?? []
            return .done(.success(texts.count == 1 ? texts[0] : nil))
        }
        let store = service.settings.store
        let digest = service.settings.storeKey.digest(uri)
        return store.ask(.find(.access(digest)), now: now) { answer in
            guard case .success(.record(let found)) = answer else { return .done(.failure(.unavailable)) }
            guard let record = found, record.kind == .pushed, record.accessLives(at: now),
                record.application.isExactly(client.id)
            else { return .done(.success(nil)) }
            // Of several browsers with one reference, only one goes on.
            return store.ask(.revoke(.access(digest)), now: now) { answer in
                guard case .success(.removed(let records)) = answer else { return .done(.failure(.unavailable)) }
                return .done(.success(records.first.map { String(decoding: $0.attributes, as: UTF8.self) }))
            }
        }
    }
}
