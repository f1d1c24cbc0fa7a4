import Bytes
import Configuration
import Declaration
import Facebook
import Model

extension Application {
    /// `applications.json`.
    package static let section = SectionExtension.list(
        "applications", "ApiOmat applications: their keys, their users and how long their tokens live.", of: shape,
        read: { field, configuration in
            configuration.applications = shape.readAll(
                field, "an array of applications", unique: "application", by: \Application.name)
        },
        check: { configuration, findings in
            guard findings.isReadable("users") else { return }
            for (index, application) in configuration.applications.enumerated() {
                application.checkWriters(among: configuration.users, at: "/applications/\(index)/writers", findings)
            }
        })

    /// `application` of routes.
    package static let ofRoutes = SectionExtension.routeKey("application") { object, route in
        object.read(
            "application", .reference(to: .application), into: &route.application,
            """
            Name of the ApiOmat application whose tokens, and no other credentials, open the route. Requests need \
            `X-Apiomat-Apikey` beside them.
            """)
    }

    private func checkWriters(among users: [User], at pointer: String, _ findings: Findings) {
        let names = users.filter { $0.realm == realm }.map(\.username)
        for (index, writer) in writers.enumerated() where !names.contains(writer) {
            findings.error(
                "\(pointer)/\(index)", "unknown user \"\(writer)\"", expected: "a user of the realm \"\(realm)\"",
                suggestion: Suggestion.nearest(to: writer, among: names))
        }
    }

    private static let shape = Shape.object("an application: {\"name\", \"apiKey\"}") { object in
        var application = Application(
            name: object.required("name", .identifier, "a name", placeholder: "", "Unique name."),
            apiKey: object.required(
                "apiKey", key, "a secret", placeholder: "",
                "API key, sent as `client_secret` and `X-Apiomat-Apikey`."),
            userClass: .basics)
        object.read(
            "systems", systemNames, into: &application.systems,
            "Systems that tokens are made for; the first where a request names none.")
        object.read("realm", .name, into: &application.realm, "Realm of its users.")
        object.read(
            "userClass", UserClass.shape, into: &application.userClass,
            "The user class as token maps and paths name it.")
        object.read("admin", Administrator.shape, into: &application.administrator, "Who may change every user.")
        object.read(
            "writers", .names("an array of user names"), into: &application.writers, "Users who may change every user.")
        application.expirations = Expirations.read(&object)
        object.read("allowSignUp", .flag, into: &application.allowSignUp, "Whether clients may make users.")
        object.read(
            "httpBasic", .flag, into: &application.httpBasic,
            """
            Whether its routes accept name and password of a user by `Authorization: Basic`, beside \
            `X-Apiomat-Apikey` and without `Oracle-Mobile-Backend-ID`; otherwise only its tokens.
            """)
        application.socialLogin = object.optional("facebook", SocialLogin.shape, "Login with Facebook.") ?? nil
        return application
    }

    private static let key = Shape(.secret, read: { $0.apiKey() })
    private static let systemNames = Shape.texts(.list(Shape.identifier.form(), minimum: 1)) { field in
        let systems = field.names("an array of names such as \"LIVE\"") { $0.entryName() }
        if systems?.isEmpty == true, field.node.array?.isEmpty == true {
            field.error("the list is empty", expected: "at least one system")
        }
        return systems
    }
}

extension Application.UserClass {
    /// That of applications that name none.
    package static let basics = Application.UserClass(
        module: "Basics", model: "com.apiomat.backend.modules.basics.User")

    private static let modelName = Shape.text(
        .pattern("^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$")
    ) { $0.model() }

    fileprivate static let shape = Shape.object("an object with \"module\" and \"model\"") { object in
        var userClass = basics
        object.read("module", .identifier, into: &userClass.module, "Module.")
        object.read("model", modelName, into: &userClass.model, "Model; its last part is the class.")
        return userClass
    }
}

extension Application.Administrator {
    fileprivate static let shape = Shape.object("an object with \"mail\" and \"password\"") { object in
        Application.Administrator(
            mail: object.required("mail", User.address, "a mail address", placeholder: "", "Mail address."),
            passwordHash: object.required(
                "password", User.storedSecret, User.passwordForm, placeholder: "",
                "`{scheme}payload`, made by `portcullis hash`."))
    }
}

extension Application.Expirations {
    fileprivate static func read(_ object: inout ObjectReader) -> Application.Expirations {
        // Access tokens must expire within the year that revocations are kept.
        let upToAYear = Shape.integer(1...31_536_000, "a number of seconds").map(Int64.init, back: Int.init)
        let seconds = Shape<Int>.seconds.map(Int64.init, back: Int.init)
        var expirations = Application.Expirations()
        object.read(
            "accessExpirationSeconds", upToAYear, into: &expirations.access, "Lifetime of access tokens.")
        object.read("refreshExpirationSeconds", seconds, into: &expirations.refresh, "Lifetime of refresh tokens.")
        (expirations.manualAccess, expirations.manualRefresh) = (expirations.access, expirations.refresh)
        object.read(
            "manualAccessExpirationSeconds", upToAYear, into: &expirations.manualAccess,
            "Lifetime of manual tokens; that of other access tokens where it is not given.")
        object.read(
            "manualRefreshExpirationSeconds", seconds, into: &expirations.manualRefresh,
            """
            How long an expired manual token is kept at the most; like other refresh tokens where it is not given.
            """)
        object.read(
            "maxAccessExpirationSeconds", upToAYear, into: &expirations.longestAccess,
            "What clients may ask for as `access_expiration`.")
        object.read(
            "maxRefreshExpirationSeconds", seconds, into: &expirations.longestRefresh,
            "What clients may ask for as `refresh_expiration`.")
        return expirations
    }
}

extension Field {
    /// A secret that travels in a header field.
    fileprivate func apiKey() -> String? {
        guard let secret = secret() else { return nil }
        guard secret.value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return error("invalid value", expected: "visible ASCII characters without blanks")
        }
        return secret.value
    }

    /// Names joined by dots.
    fileprivate func model() -> String? {
        let expected = "names joined by dots, such as \"com.example.User\""
        guard let text = text(expected) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && EntryName.isValid(String($0)) }) else { return invalid(expected) }
        return text
    }
}
