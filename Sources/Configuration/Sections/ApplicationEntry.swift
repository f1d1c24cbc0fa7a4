import Bytes

/// An ApiOmat application: its key, its users and the lifetimes of their tokens (AOM-01, AOM-03).
package struct ApplicationEntry: Sendable {
    package var name: String
    package var apiKey: Secret?
    /// Not empty; the first is the default of requests.
    package var systems: [String]
    package var realm: String
    package var userClass: UserClassEntry
    package var administrator: AdministratorEntry?
    /// Names of users of the realm.
    package var writers: [String]
    package var expirations: ExpirationsEntry
    package var allowSignUp: Bool
    /// Whether routes accept name and password of a user with the API key.
    package var httpBasic: Bool
    package var facebook: FacebookEntry?

    static func readAll(_ field: Field) -> [ApplicationEntry] {
        shape.readAll(field, "an array of applications", unique: "application", by: \.name)
    }

    static let shape = Shape.object("an application: {\"name\", \"apiKey\"}") { object in
        ApplicationEntry(
            name: object.required("name", .identifier, "a name", placeholder: "", "Unique name."),
            apiKey: object.required(
                "apiKey", ApplicationEntry.apiKey, "a secret",
                "API key, sent as `client_secret` and `X-Apiomat-Apikey`."),
            systems: object.value(
                "systems", ApplicationEntry.systems, default: ["LIVE"],
                "Systems that tokens are made for; the first where a request names none."),
            realm: object.value("realm", .name, default: "Default", "Realm of its users."),
            userClass: object.value(
                "userClass", UserClassEntry.shape, default: UserClassEntry(),
                "The user class as token maps and paths name it."),
            administrator: object.optional("admin", AdministratorEntry.shape, "Who may change every user."),
            writers: object.value(
                "writers", .names("an array of user names"), default: [], "Users who may change every user."),
            expirations: ExpirationsEntry.read(&object),
            allowSignUp: object.flag("allowSignUp", default: false, "Whether clients may make users."),
            httpBasic: object.flag(
                "httpBasic", default: false,
                """
                Whether its routes accept name and password of a user by `Authorization: Basic`, beside \
                `X-Apiomat-Apikey` and without `Oracle-Mobile-Backend-ID`; otherwise only its tokens.
                """),
            facebook: object.optional("facebook", FacebookEntry.shape, "Login with Facebook."))
    }

    private static let apiKey = Shape(.secret, read: { $0.apiKey() })
    private static let systems = Shape.texts(.list(Shape.identifier.form(), minimum: 1)) { field in
        let systems = field.names("an array of names such as \"LIVE\"") { $0.webgateName() }
        if systems?.isEmpty == true, field.node.array?.isEmpty == true {
            field.error("the list is empty", expected: "at least one system")
        }
        return systems
    }
}

/// The user class as the token map and the paths of user objects name it (AOM-02).
package struct UserClassEntry: Sendable {
    package var module = "Basics"
    package var model = "com.apiomat.backend.modules.basics.User"

    private static let model = Shape.text(
        .pattern("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$")
    ) { $0.model() }

    static let shape = Shape.object("an object with \"module\" and \"model\"") { object in
        UserClassEntry(
            module: object.value("module", .identifier, default: UserClassEntry().module, "Module."),
            model: object.value("model", model, default: UserClassEntry().model, "Model; its last part is the class."))
    }
}

/// An administrator, who may change every user object of an application (AOM-18).
package struct AdministratorEntry: Sendable {
    package var mail: String
    /// `{scheme}payload` (CRYPTO-01).
    package var password: String

    static let shape = Shape.object("an object with \"mail\" and \"password\"") { object in
        AdministratorEntry(
            mail: object.required("mail", UserEntry.email, "a mail address", placeholder: "", "Mail address."),
            password: object.required(
                "password", UserEntry.storedSecret, UserEntry.passwordForm, placeholder: "",
                "`{scheme}payload`, made by `portcullis hash`."))
    }
}

/// Lifetimes of an application's tokens, in seconds (AOM-03), and what clients may ask for (AOM-04).
package struct ExpirationsEntry: Sendable {
    package var access: Int
    package var refresh: Int
    package var manualAccess: Int
    package var manualRefresh: Int
    package var longestAccess: Int
    package var longestRefresh: Int

    static func read(_ object: inout ObjectReader) -> ExpirationsEntry {
        // Access tokens must expire within the year that revocations are kept.
        let year = 31_536_000
        let access = object.value(
            "accessExpirationSeconds", .integer(1...year, "a number of seconds"), default: 604_800,
            "Lifetime of access tokens.")
        let refresh = object.value(
            "refreshExpirationSeconds", .seconds, default: 2_592_000, "Lifetime of refresh tokens.")
        return ExpirationsEntry(
            access: access, refresh: refresh,
            manualAccess: object.value(
                "manualAccessExpirationSeconds", .integer(1...year, "a number of seconds"), default: access,
                "Lifetime of manual tokens; that of other access tokens where it is not given."),
            manualRefresh: object.value(
                "manualRefreshExpirationSeconds", .seconds, default: refresh,
                """
                How long an expired manual token is kept at the most; like other refresh tokens where it is not given.
                """),
            longestAccess: object.value(
                "maxAccessExpirationSeconds", .integer(1...year, "a number of seconds"), default: year,
                "What clients may ask for as `access_expiration`."),
            longestRefresh: object.value(
                "maxRefreshExpirationSeconds", .seconds, default: year,
                "What clients may ask for as `refresh_expiration`."))
    }
}

extension Field {
    /// A secret that travels in a header field.
    fileprivate func apiKey() -> Secret? {
        guard let secret = secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return error("invalid value", expected: "visible ASCII characters without blanks")
        }
        return secret
    }

    /// Names joined by dots.
    fileprivate func model() -> String? {
        let expected = "names joined by dots, such as \"com.example.User\""
        guard let text = text(expected) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && WebgateEntry.isName(String($0)) }) else { return invalid(expected) }
        return text
    }
}
