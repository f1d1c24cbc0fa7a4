import Bytes
import Declaration
import Model

extension User {
    /// The names of `attributes`, after the accessors of existing clients.
    package static let attributeNames = [
        "displayName", "title", "description", "mobile", "telephoneNumber", "postalAddress", "country", "photo",
        "manager",
    ]

    /// The twelve schemes of CRYPTO-01 and the two slow ones.
    package static let schemes = [
        "PlainText", "AES", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SaltedSHA-1", "SaltedSHA-224",
        "SaltedSHA-256", "SaltedSHA-384", "SaltedSHA-512", "PBKDF2-SHA512", "scrypt",
    ]
    /// The schemes for production.
    private static let strong = schemes.suffix(2)

    static func readAll(_ field: Field) -> [User] {
        /// A name or an address in a realm.
        struct Key: Hashable {
            let realm: String
            let text: String
        }
        var users: [User] = []
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
            let email = user.email
            guard !email.isEmpty else { continue }
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
        var user = User(
            username: object.required(
                "username", userName, "a user name", placeholder: "",
                """
                Name, unique within the realm: at most 256 bytes, no blanks at the ends, no control characters, \
                marks of direction or other invisible characters. A longer one of an earlier version gets a warning \
                and can be removed.
                """),
            email: object.optional("email", address, "Mail address, unique within the realm.") ?? "",
            firstName: object.optional("firstName", .name, "Given name.") ?? "",
            lastName: object.optional("lastName", .name, "Family name.") ?? "")
        object.read("realm", .name, into: &user.realm, "The realm of the clients at which the user may log in.")
        object.read(
            "password", storedSecret, into: &user.passwordHash,
            "`{scheme}payload`, made by `portcullis hash`; without it the user cannot log in with a password.")
        object.read("roles", .references(to: .role), into: &user.roles, "Roles of the catalogue.")
        object.read("enabled", .flag, into: &user.enabled, "Whether the user may log in.")
        object.read(
            "tokensNotBefore", .instant, into: &user.tokensNotBefore,
            "Tokens that were issued before this second since 1970 are refused; set by `portcullis users`.")
        object.read(
            "securityQuestions", SecurityQuestion.shape.list("an array of questions", isUnique: false),
            into: &user.securityQuestions, "What the user can be asked beside the password.")
        object.read(
            "otpSecret", secretOfCodes, into: &user.oneTimeSecret,
            "Secret of the user's one-time codes (RFC 6238), in Base32.")
        object.read(
            "attributes", profile, into: &user.attributes,
            "Attributes of the [profile](guides/user-profiles.md).")
        return user
    }

    private static let userName = Shape.text(.pattern("^[^\\s](.*[^\\s])?$")) { $0.userName() }
    /// A mail address.
    package static let address = Shape.text(.pattern("^[^@ ]+@[^@ ]+$")) { $0.email() }
    private static let secretOfCodes = Shape(.secret, read: { $0.oneTimeSecret() })
    /// A password or an answer as it is stored.
    package static let storedSecret = Shape.text(
        .named("stored", .pattern("^\\{(\(schemes.joined(separator: "|")))\\}."))
    ) { password($0) }

    private static let profile = Shape.object("an object with \"title\", \"manager\" and the like") { object in
        var attributes: [String: String] = [:]
        for name in attributeNames {
            attributes[name] = object.optional(
                name, .name,
                name == "manager" ? "Name of another user of the realm." : "An attribute of the profile.")
        }
        return attributes
    }

    /// How stored secrets look, for messages.
    package static let passwordForm = "\"{scheme}payload\", made by \"portcullis hash\""

    /// Messages never show the text, which may be a plain password.
    static func password(_ field: Field) -> String? {
        let expected = passwordForm
        guard let text = field.node.string else { return field.error("wrong type", expected: expected) }
        if let absences = field.findings.secrets.absences, absences.takeUnset(field.pointer),
            absences.notes(text, at: field.pointer, unless: false)
        {
            return "{\(schemes[0])}"
        }
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

extension SecurityQuestion {
    static let shape = Shape.object("a question: {\"question\", \"answer\"}") { object in
        SecurityQuestion(
            question: object.required("question", .name, "a question", placeholder: "", "The question."),
            answer: object.required(
                "answer", User.storedSecret, User.passwordForm, placeholder: "",
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
