import Bytes
import Declaration
import Model

/// An authentication scheme with the settings of Access Manager (SCH-01).
package struct AuthenticationSchemeEntry: Sendable {
    package var name: String
    /// 0 to 10.
    package var level: Int
    package var challengeMethod: ChallengeMethod
    package var challengeRedirectURL: String
    /// Path of the login form below `contextValue`.
    package var challengeURL: String
    package var contextType: String
    package var contextValue: String
    /// In place of `Bearer` and `Basic`; empty for these.
    package var challenges: [ChallengeRule]
    /// Its place in the configuration.
    package let pointer: String

    /// `contextValue` by default.
    package static let usualContext = "/oic_rest"

    /// Path of the login form (SCH-02).
    package var formPath: String { String(formTarget.prefix { $0 != "?" }) }

    /// The service domain of the form, named by its query.
    package var formDomain: String? {
        FormEncoding.value("serviceDomain", in: formTarget.drop { $0 != "?" }.dropFirst())
    }

    /// Path and query of the login form: `contextValue` followed by `challengeUrl`.
    package var formTarget: String { contextValue + challengeURL }

    static func readAll(_ field: Field) -> [AuthenticationSchemeEntry] {
        shape.readAll(field, "an array of authentication schemes", unique: "authentication scheme", by: \.name)
    }

    static let shape = Shape.object("an authentication scheme: {\"name\", \"authenticationLevel\"}") { object in
        let scheme = AuthenticationSchemeEntry(
            name: object.required("name", .identifier, EntryName.rule, placeholder: "", "Unique name."),
            level: object.required(
                "authenticationLevel", .level, "a level from 0 to 10", placeholder: 0, "Level that its logins reach."),
            challengeMethod: object.value(
                "challengeMethod", .choice, default: ChallengeMethod.webgate,
                """
                `OAM-AUTH`; `FORM`: the [form](guides/browser-login.md) at `contextValue` and `challengeUrl`; \
                `BASIC`: a 401 with `Basic realm="..."`, except for clients that `User-Agent` names. A Basic \
                credential without `\(CallerFields.backendID)` then belongs to the route's backend, where it names \
                exactly one.
                """),
            challengeRedirectURL: object.value(
                "challengeRedirectUrl", ownPath, default: "/oam/server/",
                "No effect: the path that the forms of Access Manager name. Read so that their settings can be kept."),
            challengeURL: object.optional(
                "challengeUrl", ownPath,
                "Path and query of the login form, behind `contextValue`; required for `FORM`.") ?? "",
            contextType: object.value(
                "contextType", .name, default: "customWar", "No effect: kept as Access Manager writes it."),
            contextValue: object.value(
                "contextValue", ownPath, default: usualContext, "Beginning of the path of the login form."),
            challenges: object.value(
                "challenges", ChallengeRule.list, default: [],
                """
                [Challenges of other schemes](guides/challenges.md), in place of `Bearer` and `Basic`.
                """),
            pointer: object.field.pointer)
        _ = object.optional(
            "authenticationModule", .text(.choice(["local"])) { $0.choice(["local"]) },
            "The store of users: that of `users.json`.")
        object.rules(
            .requires(
                "challengeUrl", if: .equals("challengeMethod", "FORM"), because: "the form has no place",
                expected: "\"challengeUrl\", such as \"/mobilesso?serviceDomain=NAME\""))
        return scheme
    }

    private static let ownPath = Shape.text(.pattern("^/([^/]|$)")) { $0.ownPath() }
}

extension Field {
    /// A path of this gateway with an optional query.
    fileprivate func ownPath() -> String? {
        let expected = "a path that begins with one slash"
        guard let text = name(expected) else { return nil }
        guard text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return invalid(expected)
        }
        return text
    }
}
