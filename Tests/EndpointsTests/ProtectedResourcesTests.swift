import Bytes
import Endpoints
import HTTP
import Model
import OAuthServer
import TestSupport
import Testing

@Suite("Metadata of resources (RFC 9728)")
struct ProtectedResourcesTests {
    private func answer(
        _ resources: [ProtectedResources.Resource], _ path: String, at authority: String = "gw.example.com",
        _ method: Method = .get
    ) throws -> EndpointResponse {
        let handler = try #require(ProtectedResources(resources).handlers[.resourceMetadata])
        var request = EndpointRequest(method: method, path: ProtectedResource.metadataPath + path)
        request.authority = authority
        return handler(request, 0).settled()
    }

    private func resource(_ url: String, _ servers: String...) throws -> ProtectedResources.Resource {
        var resource = ProtectedResources.Resource(try WebURL(url))
        resource.authorizationServers = servers
        return resource
    }

    @Test("a resource requires bound tokens if all of its routes do")
    func proofs() throws {
        var strict = try resource("https://gw.example.com/a")
        strict.requiresProof = true
        let document = try answer([strict], "/a").json
        #expect(document?["dpop_bound_access_tokens_required"]?.bool == true)
        #expect(document?["dpop_signing_alg_values_supported"]?.texts.contains("ES256") == true)
        #expect(document?["dpop_signing_alg_values_supported"]?.texts.contains("HS256") == false)
        let mixed = try answer([strict, resource("https://gw.example.com/a")], "/a").json
        #expect(mixed?["dpop_bound_access_tokens_required"] == nil)
    }

    @Test("routes of one resource share its document; a resource without tokens in a standard place says so")
    func merged() throws {
        let resources = try [
            resource("https://gw.example.com/a", "https://x.example", "https://y.example"),
            resource("https://gw.example.com/a", "https://y.example", "https://z.example"),
        ]
        let document = try answer(resources, "/a").json
        #expect(
            document?["authorization_servers"]?.texts == [
                "https://x.example", "https://y.example", "https://z.example",
            ])
        #expect(document?["bearer_methods_supported"]?.array?.isEmpty == true)
        #expect(document?["scopes_supported"] == nil && document?["resource_name"] == nil)
    }

    @Test("the host chooses among resources of one path; the root is named with and without a slash")
    func places() throws {
        let resources = try [resource("https://gw.example.com"), resource("https://b.example:8443")]
        for (authority, expected) in [
            ("gw.example.com", "https://gw.example.com"), ("B.example:8443", "https://b.example:8443"),
            ("evil.example", "https://gw.example.com"), ("", "https://gw.example.com"),
        ] {
            for path in ["", "/"] {
                #expect(try answer(resources, path, at: authority).json?["resource"]?.string == expected)
            }
        }
        #expect(try answer(resources, "/a").status == 404)
        #expect(try answer(resources, "", at: "", .post).status == 405)
    }
}
