import Identity
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Challenges that lead to the metadata of a resource (RFC 9728)")
struct ResourceChallengeTests {
    private func snapshot(_ resources: [WebURL]) -> PolicySnapshot {
        var settings = TestPolicy.settings()
        var route = ResolvedRoute(RouteEntry(name: "guarded", path: "/guarded/**"))
        (route.resources, route.access.scopes) = (resources, RoleNames(all: ["read"]))
        settings.routes.append(route)
        return TestPolicy.snapshot(settings)
    }

    private func metadata(_ host: String, _ snapshot: PolicySnapshot) -> String {
        let request = TestRequest("GET", "/guarded/a", host: host)
        let challenge = request.challenge(snapshot, snapshot.route("guarded"), .missingCredential)
        let begin = #"Bearer realm="portcullis", scope="read""#
        #expect(challenge.hasPrefix(begin))
        return String(challenge.dropFirst(begin.count))
    }

    @Test("the host that was asked chooses among the gateway's origins, and adds none")
    func origins() throws {
        let snapshot = snapshot([
            try WebURL("https://gw.example.com/guarded"), try WebURL("https://b.example:8443/"),
        ])
        let path = "/.well-known/oauth-protected-resource"
        let first = #", resource_metadata="https://gw.example.com\#(path)/guarded""#
        #expect(metadata("gw.example.com", snapshot) == first)
        #expect(metadata("evil.example", snapshot) == first)
        #expect(metadata("b.example", snapshot) == first)
        #expect(metadata("B.example:8443", snapshot) == #", resource_metadata="https://b.example:8443\#(path)""#)
        #expect(metadata("gw.example.com", self.snapshot([])).isEmpty)
    }
}
