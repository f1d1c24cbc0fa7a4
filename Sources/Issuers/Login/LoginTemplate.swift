import Bytes
import Identity
import Model

/// A configured text with placeholders for request data: `{subject}`, `{secret:NAME}`; `{{` is a literal brace. Values
/// are escaped for their context, so that a caller's name cannot end a string or start a header field.
struct LoginTemplate: Sendable {
    /// A placeholder.
    enum Place: Equatable, Sendable {
        case subject, issuer, kind, backend, backendVersion, backendID, application, webgate, level, roles, credential
        /// The credentials of a user whose password is verified, separately or combined for Basic (RFC 7617).
        case username, password, basic
        case secret(String)

        init?(_ name: Substring) {
            switch name {
            case "subject": self = .subject
            case "issuer": self = .issuer
            case "kind": self = .kind
            case "backend": self = .backend
            case "backendVersion": self = .backendVersion
            case "backendId": self = .backendID
            case "application": self = .application
            case "webgate": self = .webgate
            case "level": self = .level
            case "roles": self = .roles
            case "credential": self = .credential
            case "username": self = .username
            case "password": self = .password
            case "basic": self = .basic
            default:
                guard name.hasPrefix("secret:"), name.count > 7 else { return nil }
                self = .secret(String(name.dropFirst(7)))
            }
        }

        /// Whether the value depends on the caller.
        var isCallers: Bool {
            switch self {
            case .webgate, .secret: false
            case .subject, .issuer, .kind, .backend, .backendVersion, .backendID, .application, .level, .roles,
                .credential:
                true
            case .username, .password, .basic: true
            }
        }

        /// Whether it contains a password.
        var isPassword: Bool { self == .password || self == .basic }

        /// Whether it belongs to a login, not to an authenticated caller.
        var isOfLogin: Bool { self == .username || isPassword }
    }

    /// An error in a template.
    enum Problem: Error, Equatable {
        case unknown(String)
        case unfinished

        var message: String {
            switch self {
            case .unknown(let name): "there is no place {\(name)}"
            case .unfinished: "a brace is not closed"
            }
        }

        static let expected =
            "{subject}, {issuer}, {kind}, {backend}, {backendVersion}, {backendId}, {application}, {webgate}, {level}, {roles}, {credential}, {username}, {password}, {basic} or {secret:NAME}; {{ for a brace"
    }

    private enum Part: Equatable, Sendable {
        case text(String)
        case place(Place)
    }

    private let parts: [Part]

    init(_ text: String) throws(Problem) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "{" else {
                literal.append(character)
                continue
            }
            if rest.first == "{" {
                literal.append(rest.removeFirst())
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { throw .unfinished }
            guard let place = Place(rest[..<end]) else { throw .unknown(String(rest[..<end])) }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(.place(place))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    var places: [Place] {
        parts.compactMap { if case .place(let place) = $0 { place } else { nil } }
    }

    /// The text with the same value for every placeholder, for checking the text around them.
    func withEach(_ value: String) -> String {
        parts.map { if case .text(let text) = $0 { text } else { value } }.joined()
    }

    /// The text for a request.
    /// - Parameter escape: escapes a value for the text's context.
    func filled(_ values: LoginValues, escape: (String) -> String = { $0 }) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .place(let place): escape(values[place])
            }
        }.joined()
    }
}

/// The values of a request.
struct LoginValues {
    /// Subject of the request.
    enum Origin {
        case caller(IssueRequest)
        case login(PresentedLogin)
    }

    let origin: Origin
    let secrets: [String: String]

    subscript(_ place: LoginTemplate.Place) -> String {
        if case .secret(let name) = place { return secrets[name] ?? "" }
        return switch origin {
        case .caller(let request): LoginValues.text(of: request, place)
        case .login(let login): LoginValues.text(of: login, place)
        }
    }

    private static func text(of login: PresentedLogin, _ place: LoginTemplate.Place) -> String {
        switch place {
        case .username: login.username
        case .password: login.password
        case .basic:
            String(
                decoding: Base64.encode(Array("\(login.username):\(login.password)".utf8).span, .standard),
                as: UTF8.self)
        default: ""
        }
    }

    private static func text(of request: IssueRequest, _ place: LoginTemplate.Place) -> String {
        let principal = request.principal
        switch place {
        case .subject: return principal.subject
        case .issuer: return principal.issuer
        case .kind: return principal.kind.rawValue
        case .backend: return request.client?.name ?? ""
        case .backendVersion: return request.client?.version ?? ""
        case .backendID: return principal.backendID ?? ""
        case .application: return principal.application ?? ""
        case .webgate: return request.webgate
        case .level: return String(principal.level)
        case .roles: return principal.roleNames.joined(separator: " ")
        case .credential: return String(decoding: request.credential, as: UTF8.self)
        case .username, .password, .basic, .secret: return ""
        }
    }
}
