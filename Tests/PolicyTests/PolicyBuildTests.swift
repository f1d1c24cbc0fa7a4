import HTTP
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Building a snapshot: problems by JSON pointer")
struct PolicyBuildTests {
    /// The pointers of the errors that a change of the fixture makes.
    private func errors(_ change: (inout PolicySettings) -> Void) -> [String] {
        var settings = TestPolicy.settings()
        change(&settings)
        let (snapshot, problems) = PolicySnapshot.make(settings)
        let errors = problems.filter { $0.severity == .error }
        #expect((snapshot == nil) == !errors.isEmpty)
        return errors.map(\.pointer)
    }

    @Test func fixtureIsSound() {
        #expect(PolicySnapshot.make(TestPolicy.settings()).problems.isEmpty)
    }

    @Test("names and levels of Webgates (CHAL-08)")
    func webgates() {
        #expect(errors { $0.webgates.append(WebgateSettings(name: "a:b", level: 1)) } == ["/webgates/3/name"])
        #expect(errors { $0.webgates.append(WebgateSettings(name: "", level: 1)) } == ["/webgates/3/name"])
        #expect(
            errors { $0.webgates.append(WebgateSettings(name: String(repeating: "a", count: 65), level: 1)) }
                == ["/webgates/3/name"])
        #expect(errors { $0.webgates.append(WebgateSettings(name: "HighWG", level: 1)) } == ["/webgates/3/name"])
        #expect(errors { $0.webgates[2].level = 11 } == ["/webgates/2/level"])
        #expect(errors { $0.webgates[2].level = -1 } == ["/webgates/2/level"])
    }

    @Test("routes")
    func routes() {
        #expect(errors { $0.routes[3].path = "/%FF" } == ["/routes/3/path"])
        #expect(errors { $0.routes[3].webgate = "Nowhere" } == ["/routes/3/webgate"])
        #expect(errors { $0.routes[3].level = 99 } == ["/routes/3/level"])
    }

    @Test("role names are those of the catalogue, with case (ROLE-04)")
    func roles() {
        #expect(errors { $0.routes[3].roles.any = ["manager"] } == ["/routes/3/roles"])
        #expect(errors { $0.routes[3].roles.none = ["Nobody"] } == ["/routes/3/roles"])
        #expect(
            errors { $0.routes[0].methodRoles["POST"] = RoleSettings(all: ["X"]) } == ["/routes/0/methods/POST/roles"])
    }

    @Test("a rule of injection needs a field name and one place for the token (CACHE-04)")
    func injection() {
        let made = rule("X-Access-Token", "a {token} b")
        #expect(made?.prefix == Array("a ".utf8))
        #expect(made?.suffix == Array(" b".utf8))
        #expect(made?.headerToken == .other)
        #expect(InjectionRule(issuer: "local", issuerIndex: 0, configurationID: "1")?.headerToken == .authorization)
        #expect(rule("X Y", "{token}") == nil)
        #expect(rule("", "{token}") == nil)
        #expect(rule("X", "Bearer") == nil)
        #expect(rule("X", "{token}{token}") == nil)
        #expect(rule("X", "{token}\r\nY: z") == nil)
    }

    private func rule(_ header: String, _ format: String) -> InjectionRule? {
        InjectionRule(issuer: "local", issuerIndex: 0, configurationID: "1", header: header, format: format)
    }
}
