import Foundation
import Testing

/// CACHE-10: tokens for upstreams survive a restart, sealed in the store.
@Suite struct PersistentTokenTests {
    private func fixture(persist: Bool = true) throws -> Fixture {
        try Fixture { $0["issuedTokenCache"] = #"{"persist": \#(persist)}"# }
    }

    private func injected(_ fixture: Fixture, _ gateway: GatewayProcess, _ token: String) throws -> String {
        #expect(try gateway.request("GET", "/inventory/items", [.bearer(token)]).status == 200)
        let value = try #require(fixture.upstream.requests("/inventory/items").last?.only("Authorization"))
        return String(value.dropFirst(7))
    }

    private func calls(_ gateway: GatewayProcess) throws -> Double {
        try #require(gateway.metrics().sum("portcullis_issuer_calls_total", ["outcome": "issued"]))
    }

    private func restart(_ gateway: GatewayProcess, _ signal: Int32) throws -> GatewayProcess {
        gateway.program.signal(signal)
        _ = gateway.program.waitForEnd()
        return try GatewayProcess(gateway.configuration)
    }

    @Test("the next process uses the stored token, also after kill -9", arguments: [SIGTERM, SIGKILL])
    func survives(_ signal: Int32) throws {
        let fixture = try fixture()
        let joe = try fixture.token("joe")
        let first = try injected(fixture, fixture.gateway, joe)
        // The write is not waited for by the request; what is asked after it, is.
        let listed = try fixture.gateway.request(
            "GET", "/admin/tokens", [.bearer("admin-secret")], listener: "admin")
        #expect(listed.status == 200 && listed.text.contains("issued"))
        let second = try restart(fixture.gateway, signal)
        #expect(try injected(fixture, second, joe) == first)
        #expect(try calls(second) == 0)
        let state = URL(filePath: second.configuration.path).appending(path: "state")
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
            let bytes = try Data(contentsOf: state.appending(path: name))
            #expect(bytes.range(of: Data(first.utf8)) == nil, "\(name)")
        }
        // A revoked caller begins anew.
        #expect(
            try second.request(
                "POST", "/admin/revocations", [.bearer("admin-secret")], body: #"{"subject":"joe"}"#, listener: "admin"
            ).status == 204)
        let third = try restart(second, signal)
        let response = try third.request("GET", "/admin/tokens", [.bearer("admin-secret")], listener: "admin")
        #expect(response.status == 200 && !response.text.contains("issued\""), "\(response.text)")
        try third.stop()
    }

    @Test("without the setting nothing is stored")
    func off() throws {
        let fixture = try fixture(persist: false)
        let joe = try fixture.token("joe")
        let first = try injected(fixture, fixture.gateway, joe)
        let second = try restart(fixture.gateway, SIGTERM)
        #expect(try injected(fixture, second, joe) != first)
        #expect(try calls(second) == 1)
        try second.stop()
    }
}
