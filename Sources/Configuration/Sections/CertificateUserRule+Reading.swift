import Bytes
import Declaration
import Model

extension CertificateUserRule {
    static let list = shape.list("an array of rules, each \(expected)", isUnique: false).map(
        { $0.compactMap(\.self) }, back: { $0.map { $0 } })

    private static let expected = "an object such as {\"dns\": \"*.example.com\", \"user\": \"billing\"}"

    private static let shape = Shape<CertificateUserRule?>.object(expected) { object in
        let subject = object.take(
            "subject", wholeSubject,
            "The whole subject in the form of RFC 4514, without wildcards: `CN=billing,O=Example`.")
        let commonName = object.take("commonName", .name, "The only common name of the subject.")
        let patterns = [
            object.take(
                "dns", names(.dns), "A host name among the alternative names; `*` is as in `clientCertificate`."),
            object.take("email", names(.email), "An e-mail address among them."),
            object.take("uri", names(.uri), "A URI among them: `spiffe://example.com/ns/*`."),
        ]
        let user = object.take("user", .name, "The user's name.")
        let username = object.take(
            "username", Shape<Source>.choice,
            """
            Takes the user name from this name of the certificate, in place of `user`. A certificate with several \
            matching names of the kind is rejected.
            """)
        let roles = object.optional(
            "roles", .references(to: .role),
            """
            Roles of a user without an account. Without `roles` the user needs an account in `users.json`, which gives \
            the roles.
            """)
        let realm = object.take("realm", .name, "Realm of the account; by default the only account of the name counts.")
        object.rules(
            .exactlyOne(
                of: "subject", "commonName", "dns", "email", "uri", none: "the rule has no condition",
                several: "the rule has more than one condition"),
            .exactlyOne(of: "user", "username", none: "the rule names no user"),
            .only("realm", with: .not(.has("roles")), because: "users with \"roles\" have no account"))

        let conditions =
            [
                subject?.read().map(Condition.subject), commonName?.read().map { .commonName(Array($0.utf8)) },
            ] + patterns.map { $0?.read().map(Condition.name) }
        let usernames = [user?.read().map(Username.fixed), username?.read().map(Username.taken)].compactMap(\.self)
        guard let condition = conditions.compactMap(\.self).first, let name = usernames.first else { return nil }
        return CertificateUserRule(condition: condition, username: name, roles: roles, realm: realm?.read())
    }

    private static func names(_ kind: CertificatePattern.Kind) -> Shape<CertificatePattern> {
        Shape<String>.name.map { CertificatePattern("\(kind.rawValue):\($0)") }
    }

    /// Reports a user who has no account and gets no roles.
    func check(_ users: [User], _ findings: Findings, at pointer: String) {
        guard roles == nil, case .fixed(let name) = username else { return }
        let accounts = users.filter { user in
            user.username.isExactly(name)
                && (realm.map { $0.isExactly(user.realm) } ?? true)
        }
        switch accounts.count {
        case 1: break
        case 0:
            findings.error(
                "\(pointer)/user", "unknown user \"\(name)\"",
                expected: "a user of \"users.json\", or \"roles\" for a user without an account")
        default:
            findings.error(
                "\(pointer)/user", "several realms have a user \"\(name)\"", expected: "\"realm\" beside it")
        }
    }
}

private let wholeSubject = Shape<DistinguishedName>(
    .text,
    read: { field in
        let expected = "a subject as of RFC 4514, such as \"CN=billing,O=Example\", without wildcards"
        guard let text = field.name(expected) else { return nil }
        // A wildcard that routes know would never match here.
        guard !text.contains("*"), let name = DistinguishedName(text) else { return field.invalid(expected) }
        return name
    })
