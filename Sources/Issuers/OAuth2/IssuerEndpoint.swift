import Bytes
import Identity
import Model
import Outbound

/// The token endpoint of an authorization server: configured, or discovered from its metadata (RFC 8414, OpenID Connect
/// Discovery).
final class IssuerEndpoint: Sendable {
    enum Place: Sendable {
        case known(WebURL)
        /// - Parameter issuer: required `issuer` of the document.
        case discovered(at: WebURL, issuer: String)
    }

    private enum Source: Sendable {
        case known(WebURL)
        case metadata(ServerMetadata)
    }

    private let source: Source
    private let allowsHTTP: Bool
    /// Whether the gateway has a certificate, for which a server may have another endpoint.
    private let showsCertificate: Bool

    init(_ place: Place, _ transport: OutboundTransport, allowsHTTP: Bool, caller: any OutboundCaller) {
        self.allowsHTTP = allowsHTTP
        showsCertificate = transport.hasCertificate
        switch place {
        case .known(let url): source = .known(url)
        case .discovered(let document, let issuer):
            source = .metadata(ServerMetadata(at: document, issuer: issuer, transport, caller: caller))
        }
    }

    func url(now: Int64) -> Effect<Result<WebURL, IssueFailure>> {
        switch source {
        case .known(let url): .done(.success(url))
        case .metadata(let metadata): metadata.document(now: now).map { [self] in read($0) }
        }
    }

    private func read(_ result: Result<JSONNode, ServerMetadata.Failure>) -> Result<WebURL, IssueFailure> {
        switch result {
        case .success(let document):
            let alias = showsCertificate ? document.mutualTLSAlias(of: "token_endpoint") : nil
            guard let url = (alias ?? document["token_endpoint"]?.string).flatMap({ try? WebURL($0) }) else {
                return .failure(.misconfigured.because("discovery"))
            }
            guard url.isSecure || allowsHTTP else { return .failure(.misconfigured.because("insecure endpoint")) }
            return .success(url)
        case .failure(.call(let failure)): return .failure(IssueFailure(failure))
        case .failure(.status(let response)):
            return .failure(IssueFailure(overloaded: response) ?? .misconfigured.because("discovery"))
        case .failure(.malformed): return .failure(.misconfigured.because("discovery"))
        case .failure(.wrongIssuer): return .failure(.misconfigured.because("discovery of another issuer"))
        }
    }
}
