import Bytes

/// An ApiOmat application: its key, its users and how long their tokens live (AOM-01, AOM-03).
package struct ApplicationEntry: Sendable {
    package var name: String
    package var apiKey: Secret?
    /// Not empty; the first is that of a request that names none.
    package var systems: [String]
    package var realm: String
    package var userClass: UserClassEntry
    package var administrator: AdministratorEntry?
    /// Names of users of the realm.
    package var writers: [String]
    package var expirations: ExpirationsEntry
    package var allowSignUp: Bool
    /// Whether routes take the name and password of a user beside the API key.
    package var httpBasic: Bool
    package var facebook: FacebookEntry?

    static func readAll(_ field: Field) -> [ApplicationEntry] {
        var applications: [ApplicationEntry] = []
        for element in field.elements("an array of applications") ?? [] {
            let application = read(element)
            if !application.name.isEmpty, applications.contains(where: { $0.name == application.name }) {
                element.error("duplicate application \"\(application.name)\"", expected: "a unique name")
            }
            applications.append(application)
        }
        return applications
    }

    private static func read(_ field: Field) -> ApplicationEntry {
        var object = field.object("an application: {\"name\", \"apiKey\"}")
        let application = ApplicationEntry(
            name: object.required("name", "a name", standIn: "") { $0.backendName() },
            apiKey: object.required("apiKey", "a secret", standIn: nil) { $0.apiKey() },
            systems: object.value("systems", default: ["LIVE"], systems),
            realm: object.value("realm", default: "Default") { $0.name() },
            userClass: object.value("userClass", default: UserClassEntry(), UserClassEntry.read),
            administrator: object.optional("admin", AdministratorEntry.read),
            writers: object.value("writers", default: []) { $0.names("an array of user names") },
            expirations: ExpirationsEntry.read(&object),
            allowSignUp: object.flag("allowSignUp", default: false),
            httpBasic: object.flag("httpBasic", default: false),
            facebook: object.optional("facebook", FacebookEntry.read)
        )
        object.finish()
        return application
    }

    private static func systems(_ field: Field) -> [String]? {
        let systems = field.names("an array of names such as \"LIVE\"") { $0.backendName() }
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

    static func read(_ field: Field) -> UserClassEntry? {
        let standard = UserClassEntry()
        var object = field.object("an object with \"module\" and \"model\"")
        let entry = UserClassEntry(
            module: object.value("module", default: standard.module) { $0.backendName() },
            model: object.value("model", default: standard.model) { $0.model() })
        object.finish()
        return entry
    }
}

/// Who may change every user object of an application (AOM-18).
package struct AdministratorEntry: Sendable {
    package var mail: String
    /// `{scheme}payload` (CRYPTO-01).
    package var password: String

    static func read(_ field: Field) -> AdministratorEntry? {
        var object = field.object("an object with \"mail\" and \"password\"")
        let mail = object.required("mail", "a mail address", standIn: "") { $0.email() }
        let password = object.required("password", UserEntry.passwordForm, standIn: "", UserEntry.password)
        object.finish()
        return AdministratorEntry(mail: mail, password: password)
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
        // Access tokens end within the year for which a revocation is remembered.
        let year = 31_536_000
        let access = object.count("accessExpirationSeconds", in: 1...year, default: 604_800, "a number of seconds")
        let refresh = object.value("refreshExpirationSeconds", default: 2_592_000) { $0.seconds() }
        return ExpirationsEntry(
            access: access, refresh: refresh,
            manualAccess: object.count(
                "manualAccessExpirationSeconds", in: 1...year, default: access, "a number of seconds"),
            manualRefresh: object.value("manualRefreshExpirationSeconds", default: refresh) { $0.seconds() },
            longestAccess: object.count(
                "maxAccessExpirationSeconds", in: 1...year, default: year, "a number of seconds"),
            longestRefresh: object.value("maxRefreshExpirationSeconds", default: year) { $0.seconds() })
    }
}

extension Field {
    /// A secret that travels in a header field.
    fileprivate func apiKey() -> Secret? {
        guard let secret = secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            error("invalid value", expected: "visible ASCII characters without blanks")
            return nil
        }
        return secret
    }

    /// Names joined by dots.
    fileprivate func model() -> String? {
        let expected = "names joined by dots, such as \"com.example.User\""
        guard let text = text(expected) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && WebgateEntry.isName(String($0)) }) else {
            invalid(expected)
            return nil
        }
        return text
    }
}
