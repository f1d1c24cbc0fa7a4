import Bytes
import Declaration
import Model

/// Checks of the realms of users and clients, if the realms are listed.
extension GatewayConfiguration {
    func checkRealms(_ findings: Findings) {
        guard let realms, findings.sources.node(of: "realms")?.array != nil else { return }
        let known = Set(realms.map { Array($0.utf8) })
        func check(_ realm: String, _ pointer: String) {
            guard !known.contains(Array(realm.utf8)) else { return }
            findings.error(
                "\(pointer)/realm", "unknown realm \"\(realm)\"", expected: "a realm of realms.json",
                found: "\"\(realm)\"", suggestion: Suggestion.nearest(to: realm, among: realms))
        }
        for (index, user) in users.enumerated() { check(user.realm, "/users/\(index)") }
        for entry in clients { check(entry.client.realm, entry.pointer) }
    }
}
