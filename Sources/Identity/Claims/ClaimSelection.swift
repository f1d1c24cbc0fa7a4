import Bytes
import Model

/// The claims that a policy forwards or evaluates. Principals keep only these.
package final class ClaimSelection: Sendable {
    package static let none = ClaimSelection([], userinfo: false)

    package let paths: [ClaimPath]
    /// The scopes that routes require, in a fixed order.
    package let scopes: RoleCatalogue
    /// The authentication context levels that routes accept, in a fixed order; nil if no route asks how or when its caller
    /// logged in.
    package let levels: RoleCatalogue?
    /// Whether all claims are needed together.
    let userinfo: Bool

    package init(
        _ paths: [ClaimPath], userinfo: Bool, scopes: RoleCatalogue = RoleCatalogue([]), levels: RoleCatalogue? = nil
    ) {
        self.paths = paths.unique()
        self.userinfo = userinfo
        self.scopes = scopes
        self.levels = levels
    }

    /// Index of a claim in `SelectedClaims`; nil if not selected.
    package func index(of path: ClaimPath) -> Int? { paths.firstIndex(of: path) }

    /// - Parameters:
    ///   - claims: of the verified credential; nil if it has none.
    ///   - user: the local account, whose attributes replace claims that the credential lacks.
    ///   - authentication: how and when the caller logged in.
    package func select(
        _ claims: JSONNode?, user: @autoclosure () -> User? = nil,
        authentication: @autoclosure () -> AuthenticationClaims = .none
    ) -> SelectedClaims {
        if paths.isEmpty && !userinfo && scopes.names.isEmpty && levels == nil { return .none }
        let account = user()?.claims
        let values = paths.map { path in claims.flatMap(path.value) ?? account.flatMap(path.value) }
        let all = userinfo ? claims ?? account : nil
        return SelectedClaims(
            values: values, userinfo: all.map { Base64.encode($0.serialized.span) } ?? [],
            scopes: claims.map { scopes.roles(named: $0.scopes) } ?? RoleSet(),
            authentication: levels.map { AuthenticationContext(authentication(), $0) } ?? .none)
    }
}

/// The values of the selected claims for one principal.
package struct SelectedClaims: Sendable {
    package static let none = SelectedClaims(values: [], userinfo: [], scopes: RoleSet(), authentication: .none)

    /// In the order of the selection; nil for an absent claim.
    package let values: [JSONNode?]
    /// The same as field values (`FieldValue`), elements of a list joined by commas; empty if absent.
    package let fields: [[UInt8]]
    /// All claims as Base64 of JSON; empty if not selected.
    package let userinfo: [UInt8]
    /// Of the scopes that routes require, those that the token has.
    package let scopes: RoleSet
    /// How and when the caller logged in, if routes ask that.
    package let authentication: AuthenticationContext

    /// - Parameter index: place of a claim in the selection.
    package func value(at index: Int) -> JSONNode? { values.indices.contains(index) ? values[index] : nil }

    init(values: [JSONNode?], userinfo: [UInt8], scopes: RoleSet, authentication: AuthenticationContext) {
        self.authentication = authentication
        self.values = values
        self.scopes = scopes
        self.userinfo = userinfo
        fields = values.map { value in
            let texts = value?.texts ?? []
            // A list of one text as well: its comma would make two elements of it.
            let isList = value?.array != nil
            return Array(texts.map { FieldValue.encode($0, isElement: isList) }.joined(separator: [0x2C]))
        }
    }
}

extension JSONNode {
    /// The scopes of a token: `scope` (RFC 9068 section 2.2.3), else `scp`, which some issuers write in its place; a text
    /// with blanks, or an array.
    fileprivate var scopes: [String] {
        // Some issuers write an empty one beside the other.
        let claim = self["scope"].flatMap { $0.isNull ? nil : $0 } ?? self["scp"]
        let texts = claim?.array?.compactMap(\.string) ?? claim?.string.map { [$0] } ?? []
        return texts.flatMap { $0.split(separator: " ").map(String.init) }
    }
}

extension User {
    /// The account as OpenID Connect claims (Core section 5.1), with its roles.
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
