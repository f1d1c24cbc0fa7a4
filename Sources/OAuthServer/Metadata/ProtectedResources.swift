import Bytes
import Endpoints
import HTTP
import JOSE
import Model
import Outbound

/// Metadata of the resources that routes protect (RFC 9728), which lead a client to an authorization server.
package struct ProtectedResources: Sendable {
    /// A resource and what is said of it.
    package struct Resource: Sendable {
        let url: WebURL
        package var name: String?
        package var documentation: String?
        package var authorizationServers: [String] = []
        package var scopes: [String] = []
        /// `header` and `query` (RFC 6750 section 2).
        package var bearerMethods: [String] = []
        /// Whether all of it requires bound tokens.
        package var requiresProof = false

        package init(_ url: WebURL) { self.url = url }

        /// Several routes may be one resource.
        fileprivate mutating func add(_ other: Resource) {
            name = name ?? other.name
            documentation = documentation ?? other.documentation
            authorizationServers += other.authorizationServers.filter { !authorizationServers.contains($0) }
            scopes += other.scopes.filter { !scopes.contains($0) }
            requiresProof = requiresProof && other.requiresProof
            bearerMethods += other.bearerMethods.filter { !bearerMethods.contains($0) }
        }

        /// RFC 9728 section 2.
        fileprivate var document: [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("resource", ProtectedResource.identifier(url))
            if !authorizationServers.isEmpty { writer.member("authorization_servers", authorizationServers) }
            if !scopes.isEmpty { writer.member("scopes_supported", scopes) }
            writer.member("bearer_methods_supported", bearerMethods)
            let algorithms = SignatureAlgorithm.allCases.filter(PossessionProof.algorithms.contains).flatMap(\.names)
            writer.member("dpop_signing_alg_values_supported", algorithms)
            if requiresProof { writer.member("dpop_bound_access_tokens_required", true) }
            if let name { writer.member("resource_name", name) }
            if let documentation { writer.member("resource_documentation", documentation) }
            writer.endObject()
            return writer.bytes
        }
    }

    private struct Entry: Sendable {
        let authority: String
        let path: String
        let document: [UInt8]
    }

    private let entries: [Entry]

    /// - Parameter resources: those of the first origin first.
    package init(_ resources: [Resource]) {
        var merged: [Resource] = []
        for resource in resources {
            if let place = merged.firstIndex(where: { $0.url == resource.url }) {
                merged[place].add(resource)
            } else {
                merged.append(resource)
            }
        }
        entries = merged.map { Entry(authority: $0.url.authority, path: $0.url.target, document: $0.document) }
    }

    package var handlers: [EndpointDescriptor: EndpointHandler] {
        [.resourceMetadata: { request, _ in .done(answer(request)) }]
    }

    func answer(_ request: EndpointRequest) -> EndpointResponse {
        request.readByAnyone {
            guard let document = document(request) else { return .problem(.notFound, "no such resource") }
            return .document(document, reason: .metadata)
        }
    }

    /// The resource of the origin that was asked if it is one of the gateway's, otherwise of the first one.
    private func document(_ request: EndpointRequest) -> [UInt8]? {
        let rest = String(request.path.dropFirst(ProtectedResource.metadataPath.count))
        let named = entries.filter { $0.path.isExactly(rest.isEmpty ? "/" : rest) }
        let authority = request.authority.lowercased()
        return (named.first { $0.authority.isExactly(authority) } ?? named.first)?.document
    }
}

extension EndpointRequest {
    /// The response to requests of any page for a document that has no secret and is the same for all callers.
    func readByAnyone(_ document: () -> EndpointResponse) -> EndpointResponse {
        let anyone = (name: "Access-Control-Allow-Origin", value: "*")
        if method == .options {
            let allowed = [
                anyone, (name: "Access-Control-Allow-Methods", value: "GET, HEAD"),
                (name: "Access-Control-Allow-Headers", value: "*"), (name: "Access-Control-Max-Age", value: "300"),
            ]
            return EndpointResponse(status: 204, headers: allowed, body: [], reason: .preflight)
        }
        var response = read(document)
        response.headers.append(anyone)
        return response
    }
}
