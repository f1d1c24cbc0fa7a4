import Bytes
import Crypto
import JOSE
import Model
import Outbound

/// One fetch of an issuer's keys: the discovery document if only that URL is known, then the key set. A pure state
/// machine that takes responses and returns the next step.
struct KeyFetch {
    enum Step {
        case call(OutboundCall)
        /// - Parameter lifetime: seconds the issuer allows caching; nil if not stated.
        case done(KeySet, lifetime: Int64?)
        case failed(KeyFetchFailure)
    }

    private let settings: RemoteKeySettings
    private let tls: TLSClientContext?
    private var document: KeyFetchFailure.Document

    init(_ settings: RemoteKeySettings, tls: TLSClientContext?) {
        self.settings = settings
        self.tls = tls
        document = settings.keys == nil ? .discovery : .keys
    }

    func begin() -> Step {
        if settings.versions == .none { return .failed(.noTLSVersion) }
        guard let url = settings.keys ?? settings.discovery else { return .failed(.malformedDiscovery) }
        return .call(call(url))
    }

    mutating func received(_ result: OutboundResult) -> Step {
        switch result {
        case .failed(let failure, let details):
            return .failed(.call(failure, document, details.map { Evidence([$0.text]) } ?? .none))
        case .response(let response):
            guard response.status == 200 else { return .failed(.status(response.status, document)) }
            if document == .keys { return keys(in: response) }
            do throws(KeyFetchFailure) {
                let url = try address(in: response)
                document = .keys
                return .call(call(url))
            } catch {
                return .failed(error)
            }
        }
    }

    private func call(_ url: WebURL) -> OutboundCall {
        var headers = [(name: "Accept", value: "application/json, application/jwk-set+json")]
        // JWT-37: sent with both requests, to the host that the issuer's document names. A server that controls the
        // document received the value with the first request and could name any keys.
        if let authorization = settings.authorization { headers.append(("Authorization", authorization)) }
        var call = OutboundCall(
            url: url, headers: headers, tls: tls, connectTimeoutMilliseconds: settings.connectTimeoutMilliseconds,
            readTimeoutMilliseconds: settings.readTimeoutMilliseconds)
        call.leastFailure = 300
        return call
    }

    /// The URL of the keys, from a discovery document whose `issuer` must be the configured one (OpenID Connect
    /// Discovery section 4.3, RFC 8414 section 3.3).
    private func address(in response: OutboundResponse) throws(KeyFetchFailure) -> WebURL {
        guard let root = try? JSONNode.parse(response.body.span, maximumDepth: 16),
            let issuer = root["issuer"]?.string, let text = root["jwks_uri"]?.string
        else { throw .malformedDiscovery }
        guard issuer.isExactly(settings.issuer) else { throw .wrongIssuer(issuer) }
        let url: WebURL
        do throws(WebURL.Problem) { url = try WebURL(text) } catch { throw .malformedAddress(error) }
        guard url.isSecure || settings.allowHTTP else { throw .insecureAddress }  // JWT-32
        return url
    }

    private func keys(in response: OutboundResponse) -> Step {
        do throws(KeySetError) {
            return .done(try KeySet(published: response.body.span), lifetime: response.freshSeconds)
        } catch {
            return .failed(.keys(error))
        }
    }
}

extension OutboundResponse {
    /// Freshness lifetime of the response (RFC 9111 section 4.2.1) less its `Age`. Zero if it must not be stored; the
    /// caller bounds the fetch rate.
    package var freshSeconds: Int64? {
        var lifetime: Int64?
        for value in values(of: "Cache-Control") {
            for directive in value.lowercased().utf8.split(separator: ASCII.comma) {
                let text = Array(directive).filter { $0 != ASCII.space && $0 != ASCII.tab && $0 != ASCII.quote }
                if text == Array("no-store".utf8) || text.starts(with: Array("no-cache".utf8)) { return 0 }
                guard text.starts(with: Array("max-age=".utf8)) else { continue }
                let seconds = Decimal.parse(Array(text[8...]).span) ?? 0
                // With several directives, the strictest applies.
                lifetime = min(lifetime ?? .max, Int64(seconds))
            }
        }
        guard let lifetime else { return nil }
        let age = value(of: "Age").flatMap { Decimal.parse(Array($0.utf8).span) } ?? 0
        return max(0, lifetime - Int64(min(age, 1 << 40)))
    }
}
