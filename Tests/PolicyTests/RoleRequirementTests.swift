import Identity
import Testing

@testable import Policy

@Suite("ROLE-01: any, all and none")
struct RoleRequirementTests {
    private let catalogue = RoleCatalogue(["Manager", "Clerk", "Auditor"])

    private func set(_ names: String...) -> RoleSet { catalogue.roles(named: names) }

    @Test func any() {
        let requirement = RoleRequirement(any: set("Manager", "Clerk"))
        #expect(requirement.isMet(by: set("Clerk")))
        #expect(!requirement.isMet(by: set("Auditor")))
        #expect(!requirement.isMet(by: set()))
        #expect(RoleRequirement().isMet(by: set()))
    }

    @Test("an empty list of roles admits no user")
    func emptyAny() { #expect(!RoleRequirement(any: RoleSet()).isMet(by: set("Manager", "Clerk", "Auditor"))) }

    @Test func all() {
        let requirement = RoleRequirement(all: set("Manager", "Clerk"))
        #expect(requirement.isMet(by: set("Clerk", "Manager", "Auditor")))
        #expect(!requirement.isMet(by: set("Clerk")))
    }

    @Test func none() {
        let requirement = RoleRequirement(any: set("Clerk"), none: set("Auditor"))
        #expect(requirement.isMet(by: set("Clerk")))
        #expect(!requirement.isMet(by: set("Clerk", "Auditor")))
    }
}
