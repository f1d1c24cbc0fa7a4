import Bytes
import Foundation

/// An authentication scheme as Access Manager's form has it (SCH-01).
package struct AuthenticationSchemeEntry: Sendable {
    /// How somebody is asked to log in.
    package enum ChallengeMethod: String, Sendable, CaseIterable {
        case form = "FORM"
        case basic = "BASIC"
        case oamAuth = "OAM-AUTH"
    }

    package var name: String
    /// 0 to 10.
    package var level: Int
    package var challengeMethod: ChallengeMethod
    package var challengeRedirectURL: String
    /// Where the login form is, behind `contextValue`.
    package var challengeURL: String
    package var contextType: String
    package var contextValue: String
    /// Where it stands in the configuration.
    package let pointer: String

    /// Path of the login form (SCH-02).
    package var formPath: String { String(formTarget.prefix { $0 != "?" }) }

    /// The service domain that the form logs in to, as its query names it.
    package var formDomain: String? {
        URLComponents(string: formTarget)?.queryItems?.first { $0.name == "serviceDomain" }?.value
    }

    /// Path and query of the login form: `contextValue` and `challengeUrl`, one behind the other.
    package var formTarget: String { contextValue + challengeURL }

    static func readAll(_ field: Field) -> [AuthenticationSchemeEntry] {
        var schemes: [AuthenticationSchemeEntry] = []
        for element in field.elements("an array of authentication schemes") ?? [] {
            let scheme = read(element)
            if !scheme.name.isEmpty, schemes.contains(where: { $0.name == scheme.name }) {
                element.error("duplicate authentication scheme \"\(scheme.name)\"", expected: "a unique name")
            }
            schemes.append(scheme)
        }
        return schemes
    }

    private static func read(_ field: Field) -> AuthenticationSchemeEntry {
        var object = field.object("an authentication scheme: {\"name\", \"authenticationLevel\"}")
        let scheme = AuthenticationSchemeEntry(
            name: object.required("name", WebgateEntry.nameRule, standIn: "") { $0.webgateName() },
            level: object.required("authenticationLevel", "a level from 0 to 10", standIn: 0) { $0.level() },
            challengeMethod: object.value("challengeMethod", default: .oamAuth) { $0.choice(ChallengeMethod.self) },
            challengeRedirectURL: object.value("challengeRedirectUrl", default: "/oam/server/") { $0.ownPath() },
            challengeURL: object.value("challengeUrl", default: "") { $0.ownPath() },
            contextType: object.value("contextType", default: "customWar") { $0.name() },
            contextValue: object.value("contextValue", default: "/oic_rest") { $0.ownPath() }, pointer: field.pointer)
        // Names a store of users; there is no other than that of `users.json` (DEC-14).
        _ = object.optional("authenticationModule") { $0.choice(["local"]) }
        if scheme.challengeMethod == .form, scheme.challengeURL.isEmpty {
            field.error(
                "the form has no place", expected: "\"challengeUrl\", such as \"/mobilesso?serviceDomain=NAME\"")
        }
        object.finish()
        return scheme
    }
}

extension Field {
    /// A path of this gateway, with a query or without.
    fileprivate func ownPath() -> String? {
        let expected = "a path that begins with one slash"
        guard let text = name(expected) else { return nil }
        guard text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            invalid(expected)
            return nil
        }
        return text
    }
}
