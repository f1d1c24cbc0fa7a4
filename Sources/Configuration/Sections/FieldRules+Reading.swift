import Bytes
import Declaration
import Model

extension FieldRules {
    /// Which messages the rules are for.
    enum Message { case request, response }

    /// Sets of fields that clients of well-known proxies expect.
    enum Preset: String, Sendable, CaseIterable {
        case oauth2Proxy = "oauth2-proxy"
        case authelia
        case apisixUserinfo = "apisix-userinfo"
        case pomeriumJWT = "pomerium-jwt"

        /// Names and templates.
        var lines: KeyValuePairs<String, String> {
            switch self {
            case .oauth2Proxy:
                [
                    "X-Forwarded-User": "${user}", "X-Forwarded-Email": "${claim.email}",
                    "X-Forwarded-Groups": "${roles}",
                    "X-Forwarded-Preferred-Username": "${claim.preferred_username}",
                ]
            case .authelia:
                [
                    "Remote-User": "${user}", "Remote-Groups": "${roles}", "Remote-Email": "${claim.email}",
                    "Remote-Name": "${claim.name}",
                ]
            case .apisixUserinfo: ["X-Userinfo": "${userinfo}"]
            // A token, which is obtained like those of issuers.
            case .pomeriumJWT: [:]
            }
        }
    }

    static func shape(_ message: Message) -> Shape<FieldRules> {
        .object("an object with \"set\", \"add\" and \"remove\"") { object in
            let preset =
                message == .request
                ? object.optional(
                    "preset", Shape<Preset>.choice,
                    "Fields that backends of other proxies expect, with this caller's name, roles and claims; `pomerium-jwt` is signed."
                ) : nil
            var rules = FieldRules(
                set: object.value(
                    "set", lines(message), default: [],
                    "Fields by name, which take the place of those that are there."),
                add: object.value(
                    "add", lines(message), default: [], "Fields by name, which stand beside those that are there."),
                remove: object.value("remove", names(message), default: [], "Names of fields that are not passed on."))
            rules.signsIdentity = preset == .pomeriumJWT
            for (name, text) in preset?.lines ?? [:] where !rules.set.contains(where: { isAlias($0.name, name) }) {
                if let value = try? FieldTemplate(text, constant: { _ in nil }) {
                    rules.set.append(Line(name: name, value: value))
                }
            }
            return rules
        }
    }

    static func lines(_ message: Message) -> Shape<[Line]> {
        Shape(.map(.text, names: Form.tokenPattern), write: { $0.isEmpty ? .object([]) : nil }) { field in
            var lines: [Line] = []
            for (name, place) in field.object("an object of values by field name").entries {
                guard isAllowed(name, message, place), let value = FieldTemplate.read(place) else { continue }
                if let other = lines.first(where: { isAlias($0.name, name) }) {
                    place.error("upstreams may take \"\(name)\" for \"\(other.name)\"", expected: "each field once")
                }
                lines.append(Line(name: name, value: value))
            }
            return lines
        }
    }

    private static func names(_ message: Message) -> Shape<[String]> {
        .texts(.list(.headerName)) { field in
            field.names("an array of header field names") { element in
                element.headerName().flatMap { isAllowed($0, message, element) ? $0 : nil }
            }
        }
    }

    /// Fields that frame the message, and those that the gateway writes.
    private static func isAllowed(_ name: String, _ message: Message, _ field: Field) -> Bool {
        let letters = String(decoding: FieldSkeleton.of(name), as: UTF8.self)
        // Shorter and longer names cannot be distinguished from their aliases.
        guard Token.isValid(name), !name.contains("*"), (2...63).contains(letters.utf8.count) else {
            field.error(
                "\"\(name)\" is no name of a field", expected: "a header field name with 2 to 63 letters and digits")
            return false
        }
        let isReserved =
            switch message {
            case .request: framing.contains(letters) || routed.contains(letters) || letters.hasPrefix("xgateway")
            case .response:
                // Fields of an accepted WebSocket must be those that the upstream agreed to.
                framing.contains(letters) || letters.hasPrefix("accesscontrol") || letters.hasPrefix("secwebsocket")
            }
        if isReserved { field.error("the field \"\(name)\" belongs to the gateway", expected: "another field") }
        return !isReserved
    }

    private static let framing: Set = [
        "connection", "contentlength", "transferencoding", "te", "trailer", "upgrade", "keepalive", "proxyconnection",
        "expect", "via", "date", "xrequestid", "http2settings",
    ]
    private static let routed: Set = [
        "host", "forwarded", "xforwardedfor", "xforwardedhost", "xforwardedproto", "xforwardedport", "xforwardedprefix",
    ]

    /// Whether an upstream may take one name for the other.
    static func isAlias(_ one: String, _ other: String) -> Bool { FieldSkeleton.of(one) == FieldSkeleton.of(other) }
}

extension FieldTemplate {
    /// The value of a claim that says who a user is, at each request the same.
    static func ofClaim(_ field: Field) -> FieldTemplate? {
        guard let template = read(field) else { return nil }
        let isOfUser = template.pieces.allSatisfy { piece in
            switch piece {
            case .text, .user, .roles, .claim: true
            case .issuer, .clientIP, .requestID, .userinfo: false
            }
        }
        if isOfUser { return template }
        return field.error(
            "a claim has a value of the user",
            expected: "text, ${user}, ${roles}, ${claim.PATH}, ${env.NAME} or ${secret.KEY}")
    }

    fileprivate static func read(_ field: Field) -> FieldTemplate? {
        let expected = "visible ASCII text with placeholders such as \"${user}\" or \"${claim.email}\""
        guard let text = field.text(expected) else { return nil }
        do throws(Problem) {
            return try FieldTemplate(text) { field.constant($0) }
        } catch {
            switch error {
            case .empty, .character: return field.invalid(expected)
            case .open: return field.error("\"${\" has no end", expected: "\"}\", or \"$${\" for the text \"${\"")
            case .claim(let name, let problem):
                return field.error("\"${\(name)}\" names no claim: \(problem.rawValue)", expected: "a claim")
            case .constant(let name):
                return field.error(
                    "\"${\(name)}\" has no value that a field can have",
                    expected:
                        "a variable or secret in visible ASCII; variables of files beside gateway.json must be in its \"environment\""
                )
            case .unknown(let name):
                let near = Suggestion.nearest(to: name, among: placeholders + families)
                return field.error(
                    "unknown placeholder \"${\(name)}\"",
                    expected:
                        "${user}, ${issuer}, ${roles}, ${client_ip}, ${request_id}, ${userinfo}, ${claim.PATH}, ${env.NAME} or "
                        + "${secret.KEY}", suggestion: near.map { "${\($0)}" })
            }
        }
    }
}

extension Field {
    /// The value of `env.NAME` or `secret.KEY`.
    func constant(_ name: String) -> String? {
        if name.hasPrefix("env.") { return EnvironmentExpansion.value(of: String(name.dropFirst(4)), for: self) }
        let key = String(name.dropFirst(7))
        return switch findings.secrets.stored(key) {
        case .secret(let value): findings.secrets.constant("cred:\(key)", value: value, at: pointer)
        case .missing: findings.secrets.constant("cred:\(key)", value: nil, at: pointer)
        case .unreadable: nil
        }
    }
}
