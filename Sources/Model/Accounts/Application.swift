/// An application of `applications.json`: whose users log in with the application's name and API key, and how
/// long their tokens live (AOM-01).
package struct Application: Sendable, Equatable {
    /// Who may change every user object (AOM-18).
    package struct Administrator: Sendable, Equatable {
        /// Compared without the case of ASCII letters.
        package var mail: String
        /// `{scheme}payload` (CRYPTO-01).
        package var passwordHash: String

        package init(mail: String, passwordHash: String) {
            self.mail = mail
            self.passwordHash = passwordHash
        }
    }

    /// Lifetimes in seconds (AOM-03). A client may ask for others up to the bounds (AOM-04).
    package struct Expirations: Sendable, Equatable {
        package var access: Int64 = 604_800
        package var refresh: Int64 = 2_592_000
        package var manualAccess: Int64 = 604_800
        package var manualRefresh: Int64 = 2_592_000
        package var longestAccess: Int64 = 31_536_000
        package var longestRefresh: Int64 = 31_536_000

        package init() {}
    }

    /// The user class as the token map and the paths of user objects name it (AOM-02, AOM-18).
    package struct UserClass: Sendable, Equatable {
        /// `Basics`.
        package var module: String
        /// A name in parts: `com.example.User`.
        package var model: String

        package init(module: String, model: String) {
            self.module = module
            self.model = model
        }

        /// The last part of the model: `User`.
        package var name: String { String(model.split(separator: ".").last ?? "") }
        /// `@type` of a user object: `Basics$User`.
        package var type: String { "\(module)$\(name)" }
    }

    package var name: String
    package var apiKey: String
    /// Names of the systems that tokens may be asked for; the first is that of a request that names none.
    package var systems = ["LIVE"]
    /// Only users of this realm log in here.
    package var realm = "Default"
    package var userClass: UserClass
    package var administrator: Administrator?
    /// Names of the users who may change every user object.
    package var writers: [String] = []
    package var expirations = Expirations()
    /// Whether clients may make users (AOM-26).
    package var allowSignUp = false
    /// Whether routes take the name and password of a user beside the API key.
    package var httpBasic = false
    /// How people log in at a social provider; nil where they don't (AOM-11).
    package var socialLogin: SocialLogin?

    package init(name: String, apiKey: String, userClass: UserClass) {
        self.name = name
        self.apiKey = apiKey
        self.userClass = userClass
    }
}
