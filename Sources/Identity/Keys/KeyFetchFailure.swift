import JOSE
import Model
import Outbound

/// Why keys could not be fetched. Existing keys stay in use.
package enum KeyFetchFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The requested document.
    package enum Document: String, Sendable {
        case discovery, keys
    }

    /// The allowed set of TLS versions is empty (JWT-36).
    case noTLSVersion
    case call(OutboundFailure, Document, Evidence = .none)
    /// A status other than 200, redirects included (JWT-30).
    case status(Int, Document)
    /// The discovery document is not a JSON object, or lacks `issuer` or `jwks_uri`.
    case malformedDiscovery
    /// The discovery document names another issuer (JWT-30). The value is its `issuer`, verbatim.
    case wrongIssuer(String)
    /// `jwks_uri` is not a valid URL.
    case malformedAddress(WebURL.Problem)
    /// `jwks_uri` does not use TLS (JWT-32).
    case insecureAddress
    case keys(KeySetError)

    /// Stable code for logs and metrics.
    package var code: String {
        switch self {
        case .noTLSVersion: "tls_versions"
        case .call(let failure, let document, _): "\(document.rawValue)_\(failure.rawValue)"
        case .status(_, let document): "\(document.rawValue)_status"
        case .malformedDiscovery: "discovery_content"
        case .wrongIssuer: "discovery_issuer"
        case .malformedAddress, .insecureAddress: "discovery_address"
        case .keys: "keys_content"
        }
    }

    /// Description for the log.
    package var description: String {
        switch self {
        case .noTLSVersion: "\"tlsVersions\" allows no version of TLS that is spoken"
        case .call(let failure, let document, let details):
            "the \(document.noun) cannot be fetched: \(details.isEmpty ? failure.rawValue : details.text)"
        case .status(let status, let document): "the \(document.noun) was answered with status \(status)"
        case .malformedDiscovery: "the discovery document is no JSON object with \"issuer\" and \"jwks_uri\""
        case .wrongIssuer(let issuer): "the discovery document is that of \"\(issuer.prefix(200))\""
        case .malformedAddress(let problem): "\"jwks_uri\" of the discovery document: \(problem.rawValue)"
        case .insecureAddress: "\"jwks_uri\" of the discovery document is not https"
        case .keys(let error): error.description
        }
    }
}

extension KeyFetchFailure.Document {
    fileprivate var noun: String { self == .discovery ? "discovery document" : "key set" }
}
