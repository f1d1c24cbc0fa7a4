import Bytes
import Identity
import Synchronization

/// Where an authorization server gives tokens: known, or to be found in what it says of itself (RFC 8414, OpenID Connect
/// Discovery), which is asked for once an hour.
final class TokenEndpoint: Sendable {
    enum Place: Sendable {
        case known(OutboundURL)
        /// - Parameter issuer: whom the document must speak for.
        case discovered(at: OutboundURL, issuer: String)
    }

    private static let documentSeconds: Int64 = 3600

    private let place: Place
    private let transport: IssuerTransport
    private let allowsHTTP: Bool
    private let caller: any OutboundCaller
    private let found = Mutex<(url: OutboundURL, until: Int64)?>(nil)

    init(_ place: Place, _ transport: IssuerTransport, allowsHTTP: Bool, caller: any OutboundCaller) {
        self.place = place
        self.transport = transport
        self.allowsHTTP = allowsHTTP
        self.caller = caller
    }

    func url(now: Int64) -> Effect<Result<OutboundURL, IssueFailure>> {
        switch place {
        case .known(let url): return .done(.success(url))
        case .discovered(let document, let issuer):
            let known = found.withLock { $0 }
            if let known, now < known.until { return .done(.success(known.url)) }
            let call = OutboundCall(
                url: document, headers: [(name: "Accept", value: "application/json")], tls: transport.tls,
                connectTimeoutMilliseconds: transport.connectTimeoutMilliseconds,
                readTimeoutMilliseconds: transport.readTimeoutMilliseconds, maximumBytes: 1 << 18)
            return .answer(of: { [caller] in caller.perform(call, then: $0) }) { [self] result in
                let answer = read(result, issuer)
                if case .success(let url) = answer {
                    found.withLock { $0 = (url, now + TokenEndpoint.documentSeconds) }
                } else if let known {
                    // A document that cannot be had just now does not make the old one wrong.
                    return .done(.success(known.url))
                }
                return .done(answer)
            }
        }
    }

    private func read(_ result: OutboundResult, _ issuer: String) -> Result<OutboundURL, IssueFailure> {
        switch result {
        case .failed(let failure): return .failure(IssueFailure(failure))
        case .response(let response):
            if let failure = IssueFailure(overloaded: response) { return .failure(failure) }
            guard response.status == 200, let node = try? JSONNode.parse(response.body.span, maximumDepth: 16),
                let text = node["token_endpoint"]?.string, let url = try? OutboundURL(text)
            else { return .failure(.misconfigured.because("discovery")) }
            // RFC 8414 section 3.3: a document that speaks for somebody else is not to be used.
            guard let name = node["issuer"]?.string, name.utf8.elementsEqual(issuer.utf8) else {
                return .failure(.misconfigured.because("discovery of another issuer"))
            }
            guard url.isSecure || allowsHTTP else { return .failure(.misconfigured.because("insecure endpoint")) }
            return .success(url)
        }
    }
}
