import HTTP
import Identity
import Model
import TestSupport
import Testing

@testable import Policy

@Suite("Building a snapshot")
struct PolicyBuildTests {
    @Test("no caller has a role that the catalogue lacks (ROLE-04)")
    func roles() {
        let catalogue = TestPolicy.catalogue
        func isMet(_ names: RoleNames) -> Bool {
            RoleRequirement(names, catalogue).isMet(by: catalogue.roles(named: ["Manager", "Clerk"]))
        }
        #expect(isMet(RoleNames()) && isMet(RoleNames(any: ["Manager"], all: ["Clerk"], none: ["Guest"])))
        #expect(!isMet(RoleNames(any: ["manager"])) && !isMet(RoleNames(any: [])))
        #expect(!isMet(RoleNames(all: ["X"])) && !isMet(RoleNames(any: ["Manager"], all: ["Clerk", "X"])))
        #expect(isMet(RoleNames(none: ["Nobody"])))
    }

    @Test("a rule of injection needs a field name and one place for the token (CACHE-04)")
    func injection() {
        let made = rule("X-Access-Token", "a {token} b")
        #expect(made?.prefix == Array("a ".utf8))
        #expect(made?.suffix == Array(" b".utf8))
        #expect(made?.headerToken == .other)
        #expect(InjectionRule(issuer: "local", configurationID: "1")?.headerToken == .authorization)
        #expect(rule("X Y", "{token}") == nil)
        #expect(rule("", "{token}") == nil)
        #expect(rule("X", "Bearer") == nil)
        #expect(rule("X", "{token}{token}") == nil)
        #expect(rule("X", "{token}\r\nY: z") == nil)
    }

    private func rule(_ header: String, _ format: String) -> InjectionRule? {
        InjectionRule(issuer: "local", configurationID: "1", header: header, format: format)
    }
}
