import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model

/// Finds out to which keys the tokens of a request are bound: that of a proof (RFC 9449 section 5), and the certificate of
/// a client whose tokens must be bound to it (RFC 8705 section 3).
package struct ClientPossession: Sendable {
    /// What a client has shown.
    struct Shown: Sendable {
        /// Nil for bearer tokens.
        let binding: TokenBinding?
        /// Nonce for the next proof; nil where the client has a good one, or needs none.
        let nonce: String?
    }

    private let proofs: ProofVerifier
    let origins: [WebOrigin]

    /// - Parameter origins: those of the gateway, the first first.
    package init(_ proofs: ProofVerifier, origins: [WebOrigin]) {
        self.proofs = proofs
        self.origins = origins
    }

    /// - Parameter grants: of the client that asks.
    func shown(_ request: EndpointRequest, _ grants: ClientGrants, now: Int64) throws(TokenFailure) -> Shown {
        let certificate = grants.bindsToCertificate ? request.certificateDigest : nil
        let accepted = try proof(request, now: now)
        let shown = Shown(
            binding: TokenBinding(key: accepted?.key, certificate: certificate),
            nonce: accepted?.needsNonce == true ? proofs.nonce(now: now) : nil)
        guard grants.isSatisfied(by: shown.binding) else { throw .proofRequired }
        return shown
    }

    /// The key of a pushed request's proof, to which its code will be bound (RFC 9449 section 10.1); nil without one.
    func shownKey(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> TokenBinding? {
        TokenBinding(key: try proof(request, now: now)?.key)
    }

    private func proof(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> ProofVerifier.Accepted? {
        let fields = request.fields.filter { $0.name.isExactly("dpop") }
        guard fields.count <= 1 else { throw .invalidProof }
        guard let field = fields.first else { return nil }
        let origins = ProofURL.origins(of: request.authority, isSecure: request.secure, isOfRoute: false, own: origins)
        do throws(ProofRejection) {
            return try proofs.check(Array(field.value.utf8).span, key: nil, token: nil, now: now) {
                // The endpoint has this method alone.
                $0.isExactly("POST") && ProofURL.names($1, path: Array(request.path.utf8), at: origins)
            }
        } catch {
            throw error == .nonceRequired ? .proofNonceRequired : .invalidProof
        }
    }

    /// The answer to a client with the nonce that it needs.
    func answer(_ response: EndpointResponse, nonce: String?) -> EndpointResponse {
        guard let nonce else { return response }
        var response = response
        response.headers.append((name: "DPoP-Nonce", value: nonce))
        return response
    }

    /// The answer to a request that is refused.
    func refusal(_ failure: TokenFailure, now: Int64) -> EndpointResponse {
        answer(failure.response, nonce: failure == .proofNonceRequired ? proofs.nonce(now: now) : nil)
    }
}

extension ClientGrants {
    /// Whether tokens with this binding may be issued for the client.
    package func isSatisfied(by binding: TokenBinding?) -> Bool {
        (!requiresProofKey || binding?.key != nil) && (!bindsToCertificate || binding?.certificate != nil)
    }
}
