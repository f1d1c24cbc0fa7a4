import Bytes
import Configuration
import Model

/// The page of the reference with all endpoints: the families of endpoints, and the operations that the OpenAPI document
/// describes.
struct EndpointReference {
    private struct Operation {
        let method: String
        let path: String
        let isAdministration: Bool
        let text: String
    }

    private static let methods = ["get", "head", "post", "put", "patch", "delete"]

    private let document: JSONNode
    private var operations: [Operation] = []

    /// - Parameter document: `openapi.json`.
    init(_ document: JSONNode) {
        self.document = document
        for path in document["paths"]?.members ?? [] {
            let shared = path.node["parameters"]?.array ?? []
            for method in path.node.members ?? [] where EndpointReference.methods.contains(method.name) {
                operations.append(
                    Operation(
                        method: method.name.uppercased(), path: path.name,
                        isAdministration: path.node["servers"] != nil, text: text(method.node, shared: shared)))
            }
        }
    }

    /// The page, with links relative to `config`.
    var page: String {
        """
        # Endpoints

        [`openapi.json`](schema/openapi.json) describes all endpoints for generators of clients (OpenAPI 3.1). Details are in
        [User profiles](guides/user-profiles.md), [Administration over HTTP](guides/administration.md) and
        [Compatible protocols](guides/compatible-protocols.md). Paths are those of the default `pathPrefix`.

        ## Public listeners

        The heading is the label `endpoint` of the [metrics](reference/metrics.md).

        \(families)
        ## Administration

        The listener of [`admin`](reference/gateway.md#admin) has these resources. Listeners with the role `metrics` have
        `/healthz`, `/livez`, `/readyz` and `/metrics` only.

        \(list(operations.filter(\.isAdministration)))

        """
    }

    private var families: String {
        let settings = EndpointSettings(
            features: EndpointFeatures(rawValue: .max), formPaths: [EndpointReference.formPath])
        var endpoints: [(endpoint: EndpointDescriptor, paths: [String])] = []
        for (path, endpoint) in GatewayEndpoints.all.routes(settings) {
            if endpoints.last?.endpoint == endpoint {
                endpoints[endpoints.count - 1].paths.append(path)
            } else {
                endpoints.append((endpoint, [path]))
            }
        }
        var rest = operations.filter { !$0.isAdministration }
        return endpoints.map { endpoint, paths in
            let own = rest.filter { operation in paths.contains { EndpointReference.covers($0, operation.path) } }
            rest.removeAll { operation in own.contains { $0.path == operation.path } }
            var facts = [
                "Paths: \(paths.map { "`\($0)`" }.joined(separator: ", "))",
                "Methods: \(String(decoding: endpoint.methods, as: UTF8.self))",
            ]
            if !endpoint.needs.isEmpty { facts.append("Requires: \(EndpointReference.requirement(endpoint.needs))") }
            if endpoint.largestBody != EndpointDescriptor.usualBody {
                facts.append("Largest body: \(endpoint.largestBody) bytes")
            }
            return """
                ### `\(endpoint.name)`

                \(facts.map { "- \($0)" }.joined(separator: "\n"))

                \(list(own))

                """
        }.joined(separator: "\n")
    }

    /// The form of a scheme with the usual challenge URL, as in `openapi.json`.
    private static let formPath = AuthenticationSchemeEntry.usualContext + "/mobilesso"

    private static func covers(_ path: String, _ operation: String) -> Bool {
        operation == path || path.hasSuffix("/") && operation.hasPrefix(path)
    }

    private func list(_ operations: [Operation]) -> String {
        operations.map { "- `\($0.method) \($0.path)`: \($0.text)" }.joined(separator: "\n")
    }

    // MARK: Operations

    private func text(_ operation: JSONNode, shared: [JSONNode]) -> String {
        var parts = ["\(operation["summary"]?.string ?? "")."]
        if let description = operation["description"]?.string { parts.append(description) }
        let parameters = (shared + (operation["parameters"]?.array ?? [])).map(resolved)
        for (place, title) in [("query", "Query"), ("header", "Header")] {
            let names = parameters.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string }
            if !names.isEmpty {
                parts.append("\(title): \(names.map { "`\($0)`" }.joined(separator: ", ")).")
            }
        }
        if let body = operation["requestBody"].map(resolved)?["content"]?.members?.first?.node["schema"] {
            let members = self.members(of: body)
            if !members.isEmpty { parts.append("Body: \(members.joined(separator: ", ")).") }
        }
        return parts.joined(separator: " ").replacing("\n", with: " ")
    }

    /// The members of a schema, those of its alternatives included; required ones are marked.
    private func members(of schema: JSONNode) -> [String] {
        let schema = resolved(schema)
        let required = schema["required"]?.array?.compactMap(\.string) ?? []
        let own = (schema["properties"]?.members ?? []).map { member in
            "`\(member.name)`\(required.contains(member.name) ? " (required)" : "")"
        }
        let parts = ["allOf", "oneOf", "anyOf"].flatMap { schema[$0]?.array ?? [] }.flatMap(members)
        return parts.reduce(into: own) { names, name in if !names.contains(name) { names.append(name) } }
    }

    /// The target of a reference within the document.
    private func resolved(_ node: JSONNode) -> JSONNode {
        guard let reference = node["$ref"]?.string else { return node }
        let target = reference.split(separator: "/").dropFirst().reduce(document as JSONNode?) { $0?[String($1)] }
        return target ?? node
    }

    private static func requirement(_ features: EndpointFeatures) -> String {
        let texts: [(EndpointFeatures, String)] = [
            (.tokenService, "`tokenService.enabled`"), (.applications, "an application in `applications.json`"),
            (.userProfiles, "`userProfile.enabled`"), (.serviceDomains, "a service domain"),
            (.identityProviders, "an identity provider"),
            (.relyingParties, "a service domain whose users log in at an identity provider"),
            (.protectedResources, "a route with `protectedResource`"),
            (.authorization, "a client with `redirectUris`"), (.signedIdentity, "a route with signed identity"),
            (.devices, "a client with the device grant"),
            (.userInfo, "a client with `redirectUris` or the device grant"),
            (.logins, "a route with `login`, or a client whose users log in by browser"),
            (.registration, "`tokenService.registration`"), (.mobileCloud, "a backend in `backends.json`"),
            (.acme, "`acme`"),
        ]
        return texts.filter { features.contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
