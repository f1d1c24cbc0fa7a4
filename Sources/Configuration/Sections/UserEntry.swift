import Bytes
import Model

/// A local user.
package struct UserEntry: Sendable {
    package var username: String
    package var email: String?
    package var firstName: String?
    package var lastName: String?
    package var realm: String
    /// `{scheme}payload` (CRYPTO-01); nil for a user who cannot log in with a password.
    package var password: String?
    package var roles: [String]
    package var isEnabled: Bool
    /// Tokens that were issued before this second since 1970 are refused: those of an earlier password, or of an
    /// earlier user with this name.
    package var tokensNotBefore: Int64?
    /// Questions in addition to the password (OMS-14).
    package var securityQuestions: [SecurityQuestionEntry]
    /// The secret of the user's one-time codes; nil for none.
    package var oneTimeSecret: [UInt8]?
    /// Further attributes of the profile (UPS-01).
    package var attributes: [String: String]

    /// The names of `attributes`, after the accessors of existing clients (oam-wire 5).
    package static let attributeNames = [
        "displayName", "title", "description", "mobile", "telephoneNumber", "postalAddress", "country", "photo",
        "manager",
    ]

    /// The twelve schemes of CRYPTO-01 and the two slow ones.
    static let schemes = [
        "PlainText", "AES", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SaltedSHA-1", "SaltedSHA-224",
        "SaltedSHA-256", "SaltedSHA-384", "SaltedSHA-512", "PBKDF2-SHA512", "scrypt",
    ]
    /// The schemes for production.
    private static let strong = schemes.suffix(2)

    static func readAll(_ field: Field) -> [UserEntry] {
        /// A name or an address in a realm.
        struct Key: Hashable {
            let realm: String
            let text: String
        }
        var users: [UserEntry] = []
        var names: Set<Key> = []
        /// The indices of their users.
        var addresses: [Key: Int] = [:]
        let elements = field.elements("an array of users") ?? []
        users.reserveCapacity(elements.count)
        names.reserveCapacity(elements.count)
        addresses.reserveCapacity(elements.count)
        for element in elements {
            guard let user = shape.read(element) else { continue }
            users.append(user)
            let place = users.count - 1
            guard !user.username.isEmpty else { continue }
            if !names.insert(Key(realm: user.realm, text: user.username)).inserted {
                element.error(
                    "duplicate user \"\(user.username)\" in realm \"\(user.realm)\"", expected: "a unique name")
            }
            // Logins by mail must mean one user (JWT-24).
            guard let email = user.email else { continue }
            let isLower = email.utf8.allSatisfy { $0 < 0x80 && ASCII.lowercased($0) == $0 }
            let key = Key(realm: user.realm, text: isLower ? email : email.lowercased())
            if let other = addresses.updateValue(place, forKey: key) {
                field.findings.error(
                    "\(element.pointer)/email", "user \"\(users[other].username)\" has this address already",
                    expected: "a unique address", found: "\"\(email)\"")
            }
        }
        return users
    }

    static let shape = Shape.object("a user: {\"username\"}") { object in
        UserEntry(
            username: object.required(
                "username", userName, "a user name", placeholder: "",
                """
                Name, unique within the realm: at most 256 bytes, no blanks at the ends, no control characters, \
                marks of direction or other invisible characters. A longer one of an earlier version gets a warning \
                and can be removed.
                """),
            email: object.optional("email", email, "Mail address, unique within the realm."),
            firstName: object.optional("firstName", .name, "Given name."),
            lastName: object.optional("lastName", .name, "Family name."),
            realm: object.value("realm", .name, default: "Default", "The backend's realm that the user may log in to."),
            password: object.optional(
                "password", storedSecret,
                "`{scheme}payload`, made by `portcullis hash`; without it the user cannot log in with a password."),
            roles: object.value("roles", .references(to: .role), default: [], "Roles of the catalogue."),
            isEnabled: object.flag("enabled", default: true, "Whether the user may log in."),
            tokensNotBefore: object.optional(
                "tokensNotBefore", .instant,
                "Tokens that were issued before this second since 1970 are refused; set by `portcullis users`."),
            securityQuestions: object.value(
                "securityQuestions", SecurityQuestionEntry.shape.list("an array of questions", isUnique: false),
                default: [], "What the user can be asked beside the password."),
            oneTimeSecret: object.optional(
                "otpSecret", oneTimeSecret, "Secret of the user's one-time codes (RFC 6238), in Base32."),
            attributes: object.value(
                "attributes", attributes, default: [:], "Attributes of the [profile](endpoints.md#user-profiles)."))
    }

    private static let userName = Shape.text(.pattern("^[^\\s](.*[^\\s])?$")) { $0.userName() }
    static let email = Shape.text(.pattern("^[^@ ]+@[^@ ]+$")) { $0.email() }
    private static let oneTimeSecret = Shape(.secret, read: { $0.oneTimeSecret() })
    static let storedSecret = Shape.text(
        .named("stored", .pattern("^\\{(\(schemes.joined(separator: "|")))\\}."))
    ) { password($0) }

    private static let attributes = Shape.object("an object with \"title\", \"manager\" and the like") { object in
        var attributes: [String: String] = [:]
        for name in attributeNames {
            attributes[name] = object.optional(
                name, .name,
                name == "manager" ? "Name of another user of the realm." : "An attribute of the profile.")
        }
        return attributes
    }

    static let passwordForm = "\"{scheme}payload\", made by \"portcullis hash\""

    /// Messages never show the text, which may be a plain password.
    static func password(_ field: Field) -> String? {
        let expected = passwordForm
        guard let text = field.node.string else { return field.error("wrong type", expected: expected) }
        guard text.utf8.first == UInt8(ascii: "{"), let end = text.utf8.firstIndex(of: UInt8(ascii: "}")),
            text.utf8.index(after: end) < text.endIndex
        else { return field.error("the password has no scheme, so it would never verify", expected: expected) }
        let scheme = String(text[text.utf8.index(after: text.startIndex)..<end])
        guard schemes.contains(scheme) else {
            let near = Suggestion.nearest(to: scheme, among: schemes)
            return field.error(
                "unknown password scheme \"\(scheme)\"",
                expected: near == nil ? "one of \(schemes.joined(separator: ", "))" : nil, suggestion: near)
        }
        if field.findings.production, !strong.contains(scheme) {
            field.warning("the password scheme \"\(scheme)\" is quickly guessed", expected: "\"{scrypt}\"")
        }
        return text
    }
}

/// A security question and the user's answer.
package struct SecurityQuestionEntry: Sendable {
    package var question: String
    /// `{scheme}payload` (CRYPTO-01) of the answer in lower case.
    package var answer: String

    static let shape = Shape.object("a question: {\"question\", \"answer\"}") { object in
        SecurityQuestionEntry(
            question: object.required("question", .name, "a question", placeholder: "", "The question."),
            answer: object.required(
                "answer", UserEntry.storedSecret, UserEntry.passwordForm, placeholder: "",
                "`{scheme}payload` of the answer in lower case, made by `portcullis hash`."))
    }
}

extension Field {
    /// A secret in Base32 of at least 128 bits (RFC 4226 section 4).
    fileprivate func oneTimeSecret() -> [UInt8]? {
        guard let secret = secret() else { return nil }
        guard let bytes = Base32.decode(Array(secret.value.utf8).span), bytes.count >= 16 else {
            return error("the secret is malformed", expected: "at least 16 bytes as Base32")
        }
        return bytes
    }

    func email() -> String? {
        guard let text = name("a mail address") else { return nil }
        let bytes = text.utf8.span
        let at = UInt8(ascii: "@")
        var (ats, blanks) = (0, 0)
        for i in bytes.indices {
            ats += bytes[i] == at ? 1 : 0
            blanks += bytes[i] == ASCII.space ? 1 : 0
        }
        guard ats == 1, blanks == 0, bytes[0] != at, bytes[bytes.count - 1] != at else {
            return invalid("a mail address such as \"joe@example.com\"")
        }
        return text
    }
}
