import Bytes
import Model

/// The claims that a policy forwards or decides by. Principals keep these and no others.
package final class ClaimSelection: Sendable {
    package static let none = ClaimSelection([], userinfo: false)

    let paths: [ClaimPath]
    /// Whether all claims are needed together.
    let userinfo: Bool

    package init(_ paths: [ClaimPath], userinfo: Bool) {
        var unique: [ClaimPath] = []
        for path in paths where !unique.contains(path) { unique.append(path) }
        self.paths = unique
        self.userinfo = userinfo
    }

    /// The place of a claim in `SelectedClaims`; nil for one that is not selected.
    package func index(of path: ClaimPath) -> Int? { paths.firstIndex(of: path) }

    /// - Parameters:
    ///   - claims: of the verified credential; nil for one without.
    ///   - user: the local account, whose attributes stand for claims that the credential lacks.
    package func select(_ claims: JSONNode?, user: @autoclosure () -> User? = nil) -> SelectedClaims {
        if paths.isEmpty && !userinfo { return .none }
        let account = user()?.claims
        let values = paths.map { path in claims.flatMap(path.value) ?? account.flatMap(path.value) }
        let all = userinfo ? claims ?? account : nil
        return SelectedClaims(values: values, userinfo: all.map { Base64.encode($0.serialized.span) } ?? [])
    }
}

/// The values of the selected claims for one principal.
package struct SelectedClaims: Sendable {
    package static let none = SelectedClaims(values: [], userinfo: [])

    /// In the order of the selection; nil for a claim that is absent.
    package let values: [JSONNode?]
    /// The same as values of field lines (`FieldValue`), several with commas between them; empty for none.
    package let fields: [[UInt8]]
    /// All claims as Base64 of JSON; empty where the selection does not ask for it.
    package let userinfo: [UInt8]

    init(values: [JSONNode?], userinfo: [UInt8]) {
        self.values = values
        self.userinfo = userinfo
        fields = values.map { value in
            let texts = value?.texts ?? []
            return Array(texts.map { FieldValue.encode($0, isElement: texts.count > 1) }.joined(separator: [0x2C]))
        }
    }
}

extension User {
    /// The account as claims of OpenID Connect (Core section 5.1), with its roles.
    fileprivate var claims: JSONNode {
        let name = [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
        let texts = [
            ("sub", username), ("preferred_username", username), ("email", email), ("given_name", firstName),
            ("family_name", lastName), ("name", name),
        ]
        let members = texts.filter { !$0.1.isEmpty }.map { JSONMember(name: $0.0, node: JSONNode(.string($0.1))) }
        let roles = JSONNode(.array(roles.map { JSONNode(.string($0)) }))
        return JSONNode(.object(members + [JSONMember(name: "roles", node: roles)]))
    }
}
