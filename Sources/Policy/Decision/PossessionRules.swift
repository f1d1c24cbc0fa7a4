import Bytes
import Crypto
import HTTP
import Identity
import JOSE
import Model
import Outbound

/// The keys that the senders of bound tokens must have.
package struct PossessionRules: Sendable {
    private let proofs: ProofVerifier
    /// The gateway's own origins, which proofs may be for.
    private let origins: [WebOrigin]

    package init(_ proofs: ProofVerifier = ProofVerifier(), origins: [WebOrigin] = []) {
        self.proofs = proofs
        self.origins = origins
    }

    /// A nonce for the next proof of a client; nil where none is required.
    /// - Parameter now: seconds since 1970.
    package func nonce(now: Int64) -> String? { proofs.nonce(now: now) }

    /// Checks that the sender of a request has the keys that its token is bound to: by a proof (RFC 9449 section 4.3), by
    /// the certificate of its connection (RFC 8705 section 3), or by both.
    ///
    /// - Parameters:
    ///   - route: nil for endpoints.
    ///   - path: the canonical path.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - isSecure: whether the client's own connection is encrypted.
    ///   - certificate: of the client's own connection; nil for none, and where a proxy is the peer.
    ///   - now: seconds since 1970.
    /// - Returns: a nonce that the answer should have; nil for none.
    package func check(
        by principal: Principal, on route: Route?, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable, isSecure: Bool, certificate: PresentedCertificate?, now: Int64
    ) throws(Reason) -> String? {
        guard let binding = principal.binding else { return nil }
        if let digest = binding.certificate {
            guard certificate?.digest(at: now) == digest else { throw .tokenCertificateWrong }
        }
        guard let key = binding.key else { return nil }
        // A bound token at another place is one that came without its client's knowledge, or from a careless client.
        guard headers.occurrences(.authorization) == 1, let field = headers.value(.authorization),
            PossessionRules.isProvable(principal.token, bytes.slice(field))
        else { throw .dpopSchemeWrong }
        guard let proof = headers.value(.dpop) else { throw .dpopProofMissing }
        guard headers.occurrences(.dpop) == 1 else { throw .dpopProofRepeated }
        let named = ProofURL.origins(
            of: String(copying: bytes.slice(head.authority)), isSecure: isSecure,
            isOfRoute: route?.hosts.isEmpty == false, own: origins)
        let path = [UInt8](copying: path)
        // An extended CONNECT (RFC 8441) is decided as the GET that it stands for.
        let methods = [String(copying: bytes.slice(head.methodText)), head.method.name.map { "\($0)" } ?? ""]
        do throws(ProofRejection) {
            let accepted = try proofs.check(bytes.slice(proof), key: key, token: principal.token, now: now) {
                asked, url in
                methods.contains(where: asked.isExactly) && ProofURL.names(url, path: path, at: named)
            }
            return accepted.needsNonce ? proofs.nonce(now: now) : nil
        } catch {
            throw Reason(error)
        }
    }

    /// Whether a value of `Authorization` has this token under the scheme for tokens with proofs.
    private static func isProvable(_ token: [UInt8], _ value: Span<UInt8>) -> Bool {
        let credential = Credential(value)
        return credential.scheme == .dpop && bytesEqual(token.span, value.slice(credential.rest))
    }
}

extension AuthenticationOutcome {
    /// The same, but for callers whose credential is not bound to a key: it must not come with this scheme (RFC 9449
    /// section 7.1).
    func boundToKey() -> AuthenticationOutcome {
        switch self {
        case .principal(let principal):
            return principal.binding?.key == nil ? .rejected(.dpopSchemeWrong) : self
        case .resolve(let effect):
            return .resolve(
                effect.map { result in
                    result.flatMap { $0.binding?.key == nil ? .failure(.dpopSchemeWrong) : .success($0) }
                })
        case .none, .rejected, .malformed: return self
        }
    }
}
