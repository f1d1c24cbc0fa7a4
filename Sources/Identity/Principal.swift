import Bytes
import JOSE

/// The authenticated caller, as established by a verified credential. Immutable, so that caches and workers can share
/// it.
package final class Principal: Sendable {
    /// Kind of caller; `loginRequired` routes admit only users (ROLE-02).
    package enum Kind: String, Sendable {
        /// A person: a local user, or a virtual user known only from a token.
        case user
        /// An application that authenticated as itself (`client_credentials`, OAUTH-01).
        case client
        /// The holder of a client's anonymous key (BASIC-02).
        case anonymous
    }

    /// Authentication method: what a kind of credential shows of its holder.
    package struct Method: Sendable, Equatable {
        /// Whether an issuer has signed it, so that it can be revoked before it ends. What is checked anew at each use cannot.
        package let isSigned: Bool
        /// Whether browsers send it with requests that other sites cause. Cookies have a rule of their own.
        package let isAmbient: Bool
        /// The bytes of the name, the first ones highest. Each request compares methods: numbers, and no texts to count.
        private let name: (UInt64, UInt64)

        /// - Parameter name: at most 16 letters and `_` of ASCII.
        package init(_ name: String, isSigned: Bool = false, isAmbient: Bool = false) {
            precondition(name.utf8.count <= 16)
            func number(_ bytes: Substring.UTF8View) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            self.name = (number(name.prefix(8).utf8), number(name.dropFirst(8).utf8))
            self.isSigned = isSigned
            self.isAmbient = isAmbient
        }

        package static func == (a: Method, b: Method) -> Bool { a.name == b.name }

        /// The name, for logs, policy questions and messages.
        package var rawValue: String {
            let bytes = [name.0, name.1].flatMap { number in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
            }
            return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
        }

        package static let bearer = Method("bearer", isSigned: true)
        package static let basic = Method("basic")
        package static let anonymousKey = Method("anonymousKey")
        /// A social provider's token together with an anonymous key (FB-01).
        package static let social = Method("social")
        /// The key of a consumer.
        package static let apiKey = Method("api_key")
        /// The cookie of a browser login (SCH-02).
        package static let cookie = Method("cookie", isSigned: true)
        /// The certificate of the connection.
        package static let certificate = Method("certificate", isAmbient: true)
        /// A SAML assertion.
        package static let saml = Method("saml", isSigned: true)
    }

    /// The level of a password or a client secret, on the scale that webgates require (CHAL-06).
    package static let standardLevel = 2

    /// `issuer` of passwords of `users.json`.
    package static let ownIssuer = "local"

    package let kind: Kind
    package let method: Method
    /// User name, client id, or `anonymous`.
    package let subject: String
    /// Name of the issuer entry of the credential; `local` for passwords of `users.json`.
    package let issuer: String
    /// The OAuth client that the token was issued to; nil for other credentials.
    package let clientID: String?
    /// Id of the client that the credential is bound to; nil for an outside issuer's token without one.
    package let backendID: String?
    /// Name of the application that issued the token; nil for other credentials (AOM-16).
    package let application: String?
    /// Whether the credential permits only GET, HEAD and OPTIONS (AOM-08).
    package let isReadOnly: Bool
    package let roles: RoleSet
    /// Names of `roles`, in the order of the catalogue.
    package let roleNames: [String]
    /// The caller with all roles of the user, for routes that trust the client; nil where that is this one.
    package let unlimited: Principal?
    /// Authentication level of the credential (CHAL-06).
    package let level: Int
    /// Whether the user has no account in `users.json`.
    package let virtual: Bool
    /// Seconds since 1970 when the credential expires; nil for a password.
    package let expiresAt: Int64?
    /// Seconds since 1970 from which the server of an opaque token must be asked again, 0 for a credential of a single
    /// request; nil for a self-contained token.
    package let knownUntil: Int64?
    /// `iat` of a token, for revocation by date; for a password the time of its check; nil for an anonymous key.
    package let issuedAt: Int64?
    /// `jti` of a token, for logs and revocation.
    package let tokenID: String?
    /// The family of a token, which ends it too; nil for a token of none.
    let family: String?
    /// The only Webgate whose routes accept the credential; nil if not bound to one (DEC-06).
    package let webgate: String?
    /// The resources whose routes alone accept the credential (RFC 8707); empty if it is not limited to any.
    package let resources: [String]
    /// Id of the session in which the token was issued; nil for other credentials (OMS-17).
    package let session: String?
    /// How the user of that session logged in (`LoginClass.text`), in UTF-8; empty for other credentials (CACHE-11).
    package let loginBytes: [UInt8]
    /// Last use of that session; nil for credentials without an idle timeout (OMS-09).
    package let activity: SessionActivity?
    /// Tokens that this one was exchanged for: revoking one of these revokes it too.
    package let origins: [TokenOrigin]
    /// The claims that the policy selects.
    package let claims: SelectedClaims
    /// The bearer token, needed to verify it again if an exchange continues under another configuration, the packed
    /// assertion, or the value of the session cookie; empty for a password. Never logged.
    package let token: [UInt8]
    /// The keys whose possession each request with the token must prove; nil for a bearer token and other credentials.
    package let binding: TokenBinding?
    /// The holder of the API key that came beside the credential; nil for none.
    package let consumer: Principal?
    /// `subject` in UTF-8.
    package let subjectBytes: [UInt8]
    /// `backendID` in UTF-8; empty if nil.
    package let backendBytes: [UInt8]
    /// `application` in UTF-8; empty if nil.
    package let applicationBytes: [UInt8]
    /// `webgate` in UTF-8; empty if nil.
    package let webgateBytes: [UInt8]
    /// `subject` as a header field value, see `FieldValue`.
    package let subjectField: [UInt8]
    /// `issuer` in the same encoding.
    package let issuerField: [UInt8]
    /// `roleNames` in the same encoding, joined by commas; commas within names are encoded.
    package let roleField: [UInt8]
    /// `backendID` in the same encoding; empty if nil, and for a client of `clients.json`.
    package let backendField: [UInt8]
    /// `clientID` in the same encoding; empty if nil, and for tokens of others, whose ids are not those of clients here.
    package let clientField: [UInt8]

    /// The consumer of the API key that came alone or beside the credential, as a header field value; empty for none.
    package var consumerField: [UInt8] { method == .apiKey ? subjectField : consumer?.subjectField ?? [] }

    /// The name of that consumer.
    package var consumerName: String? { method == .apiKey ? subject : consumer?.subject }

    /// Id of the store record of the login at a provider that the session of the gateway's own began with; nil for other
    /// credentials.
    package var loginRecord: String? {
        method == .cookie && backendID == nil && origins.count > 1 ? origins.last?.tokenID : nil
    }

    /// Whether the credential is of no use to others who got hold of it.
    package var provesPossession: Bool { binding != nil || method == .certificate }

    package init(
        kind: Kind, method: Method, subject: String, issuer: String, clientID: String? = nil, backendID: String?,
        isOfClient: Bool = false,
        roles: RoleSet,
        catalogue: RoleCatalogue, level: Int, virtual: Bool = false, expiresAt: Int64? = nil, issuedAt: Int64? = nil,
        tokenID: String? = nil, token: [UInt8] = [], knownUntil: Int64? = nil, application: String? = nil,
        isReadOnly: Bool = false, origins: [TokenOrigin] = [], webgate: String? = nil, session: String? = nil,
        login: String? = nil, activity: SessionActivity? = nil, claims: SelectedClaims = .none,
        binding: TokenBinding? = nil, unlimited: Principal? = nil, resources: [String] = []
    ) {
        self.resources = resources
        self.unlimited = unlimited
        consumer = nil
        self.binding = binding
        self.claims = claims
        self.kind = kind
        self.method = method
        self.subject = subject
        self.issuer = issuer
        self.clientID = clientID
        self.backendID = backendID
        self.roles = roles
        roleNames = catalogue.names(of: roles)
        self.level = level
        self.virtual = virtual
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.tokenID = tokenID
        family = tokenID.flatMap(TokenFamily.id)
        self.origins = origins
        self.token = token
        self.knownUntil = knownUntil
        self.application = application
        self.isReadOnly = isReadOnly
        self.webgate = webgate
        self.session = session
        self.activity = activity
        loginBytes = Array((login ?? "").utf8)
        webgateBytes = Array((webgate ?? "").utf8)
        applicationBytes = Array((application ?? "").utf8)
        subjectBytes = Array(subject.utf8)
        backendBytes = Array((backendID ?? "").utf8)
        subjectField = FieldValue.encode(subjectBytes)
        issuerField = FieldValue.encode(Array(issuer.utf8))
        var roleField: [UInt8] = []
        for (place, name) in roleNames.enumerated() {
            if place > 0 { roleField.append(0x2C) }
            roleField += FieldValue.encode(name, isElement: true)
        }
        self.roleField = roleField
        backendField = isOfClient ? [] : FieldValue.encode(backendBytes)
        let isOwn = issuer.isExactly(Principal.ownIssuer)
        clientField = FieldValue.encode(Array((isOwn ? clientID ?? "" : "").utf8))
    }

    /// The same caller with the API key of a consumer, or without one.
    package func with(key consumer: Principal?) -> Principal {
        consumer == nil && self.consumer == nil ? self : Principal(self, consumer)
    }

    private init(_ other: Principal, _ consumer: Principal?) {
        self.consumer = consumer
        unlimited = other.unlimited?.with(key: consumer)
        (kind, method, subject, issuer) = (other.kind, other.method, other.subject, other.issuer)
        (clientID, backendID, application) = (other.clientID, other.backendID, other.application)
        isReadOnly = other.isReadOnly
        (roles, roleNames, level, virtual) = (other.roles, other.roleNames, other.level, other.virtual)
        (expiresAt, knownUntil, issuedAt) = (other.expiresAt, other.knownUntil, other.issuedAt)
        (tokenID, family, token, binding) = (other.tokenID, other.family, other.token, other.binding)
        resources = other.resources
        (webgate, session, activity, origins) = (other.webgate, other.session, other.activity, other.origins)
        (loginBytes, claims) = (other.loginBytes, other.claims)
        (subjectBytes, backendBytes) = (other.subjectBytes, other.backendBytes)
        (applicationBytes, webgateBytes) = (other.applicationBytes, other.webgateBytes)
        (subjectField, issuerField) = (other.subjectField, other.issuerField)
        (roleField, backendField, clientField) = (other.roleField, other.backendField, other.clientField)
    }
}
