/// Who is calling, as far as a verified credential tells. Immutable, so that caches and workers share it.
package final class Principal: Sendable {
    /// What kind of caller it is; `loginRequired` routes take users alone (ROLE-02).
    package enum Kind: String, Sendable {
        /// A person: a local user, or a virtual one known only from a token.
        case user
        /// An application that authenticated for itself (`client_credentials`, OAUTH-01).
        case client
        /// The holder of a backend's anonymous key (BASIC-02).
        case anonymous
    }

    /// How the caller proved it.
    package enum Method: String, Sendable {
        case bearer, basic, anonymousKey
        /// The token of a social provider beside an anonymous key (FB-01).
        case social
        /// The cookie of a login by browser (SCH-02).
        case cookie
    }

    /// The level of a password or a client secret, on the scale that webgates ask by (CHAL-06).
    package static let standardLevel = 2

    package let kind: Kind
    package let method: Method
    /// User name, client id, or `anonymous`.
    package let subject: String
    /// Name of the issuer entry that the credential came from; `local` for passwords of `users.json`.
    package let issuer: String
    /// `mobileBackendId` of the backend that the credential is bound to; nil for tokens of an outside issuer without one.
    package let backendID: String?
    /// Name of the ApiOmat application that the token is of; nil for every other credential (AOM-16).
    package let application: String?
    /// Whether GET, HEAD and OPTIONS are all that the credential is good for (AOM-08).
    package let isReadOnly: Bool
    package let roles: RoleSet
    /// The names of `roles`, in the order of the catalogue.
    package let roleNames: [String]
    /// Authentication level the credential was obtained at (CHAL-06).
    package let level: Int
    /// Whether the user has no account in `users.json`.
    package let virtual: Bool
    /// Seconds since 1970 when the credential ends; nil for a password.
    package let expiresAt: Int64?
    /// Seconds since 1970 from which on its server is to be asked again about a token that only it can tell anything of;
    /// nil where the token speaks for itself until it ends.
    package let knownUntil: Int64?
    /// `iat` of a token, for revocation by date; of a password when it was checked; nil for an anonymous key.
    package let issuedAt: Int64?
    /// `jti` of a token, for logs and revocation.
    package let tokenID: String?
    /// The Webgate whose routes the credential opens, and no others; nil for one that is bound to none (DEC-06).
    package let webgate: String?
    /// Id of the session that the token was obtained in; nil for every other credential (OMS-17).
    package let session: String?
    /// How the user of that session has logged in (`LoginClass.text`) in UTF-8; empty for every other credential (CACHE-11).
    package let loginBytes: [UInt8]
    /// When that session was used last; nil for every credential that does not end by lying idle (OMS-09).
    package let activity: SessionActivity?
    /// What the token was exchanged for: it ends with each of these.
    package let origins: [TokenOrigin]
    /// The claims that the policy selects.
    package let claims: SelectedClaims
    /// The bearer token itself, so that it can be verified again while an exchange of its goes on under another
    /// configuration, or the value of the session cookie; empty for a password. Never logged.
    package let token: [UInt8]
    /// `subject` in UTF-8.
    package let subjectBytes: [UInt8]
    /// `backendID` in UTF-8; empty where there is none.
    package let backendBytes: [UInt8]
    /// `application` in UTF-8; empty where there is none.
    package let applicationBytes: [UInt8]
    /// `webgate` in UTF-8; empty where there is none.
    package let webgateBytes: [UInt8]
    /// `subject` as the value of a field line, see `FieldValue`.
    package let subjectField: [UInt8]
    /// `roleNames` in the same form, joined by commas; a comma within a name is encoded too.
    package let roleField: [UInt8]
    /// `backendID` in the same form; empty where there is none.
    package let backendField: [UInt8]

    package init(
        kind: Kind, method: Method, subject: String, issuer: String, backendID: String?, roles: RoleSet,
        catalogue: RoleCatalogue, level: Int, virtual: Bool = false, expiresAt: Int64? = nil, issuedAt: Int64? = nil,
        tokenID: String? = nil, token: [UInt8] = [], knownUntil: Int64? = nil, application: String? = nil,
        isReadOnly: Bool = false, origins: [TokenOrigin] = [], webgate: String? = nil, session: String? = nil,
        login: String? = nil, activity: SessionActivity? = nil, claims: SelectedClaims = .none
    ) {
        self.claims = claims
        self.kind = kind
        self.method = method
        self.subject = subject
        self.issuer = issuer
        self.backendID = backendID
        self.roles = roles
        roleNames = catalogue.names(of: roles)
        self.level = level
        self.virtual = virtual
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.tokenID = tokenID
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
        var roleField: [UInt8] = []
        for (place, name) in roleNames.enumerated() {
            if place > 0 { roleField.append(0x2C) }
            roleField += FieldValue.encode(name, isElement: true)
        }
        self.roleField = roleField
        backendField = FieldValue.encode(backendBytes)
    }
}
