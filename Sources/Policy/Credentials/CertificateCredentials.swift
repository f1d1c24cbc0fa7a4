import Bytes
import Crypto
import Identity
import Model

/// The verified certificate of a client, and the rules of the listener that it came to: each listener trusts
/// authorities of its own.
package final class PresentedCertificate: Sendable {
    package let certificate: PeerCertificate
    let userRules: [CertificateUserRule]
    /// Whether the certificate has ceased to count for the listener since the connection began.
    let isOnList: Bool

    package init(_ certificate: PeerCertificate, rules: [CertificateUserRule], isOnList: Bool = false) {
        self.isOnList = isOnList
        self.certificate = certificate
        userRules = rules
    }

    /// SHA-256 of the certificate; nil once it has expired or counts no more.
    /// - Parameter now: seconds since 1970.
    package func digest(at now: Int64) -> [UInt8]? {
        isOnList || certificate.notAfter < now ? nil : certificate.digest
    }
}

/// Makes principals of client certificates.
struct CertificateCredentials: Sendable {
    private let users: UserStore
    private let roles: RoleCatalogue
    private let claims: ClaimSelection

    init(_ settings: PolicySettings, _ claims: ClaimSelection) {
        users = settings.users
        roles = settings.roles
        self.claims = claims
    }

    /// The user of the first rule that applies. A later rule never replaces it, so that a certificate that the first one
    /// refuses is no other user.
    ///
    /// - Parameter now: seconds since 1970.
    func authenticate(_ shown: PresentedCertificate, now: Int64) -> AuthenticationOutcome {
        let certificate = shown.certificate
        // A kept connection, or a resumed session, outlives its certificate.
        guard certificate.notAfter >= now else { return .rejected(.certificateExpired) }
        guard certificate.isReadable, let rule = shown.userRules.first(where: { $0.applies(to: certificate) }),
            let name = rule.nameOfUser(in: certificate), ExternalIdentityRules.isFitForHeaders(name)
        else { return .rejected(.certificateUserUnknown) }
        let accounts = ExternalIdentityRules(
            virtualUserEnabled: rule.roles != nil, roleMapping: RoleMapping(issuerRoles: rule.roles ?? []))
        do throws(ExternalIdentityRejection) {
            let identity = try accounts.resolve(
                name, claims: JSONNode(.object([])), realm: rule.realm, users: users, catalogue: roles)
            return .principal(
                Principal(
                    kind: .user, method: .certificate, subject: identity.username,
                    issuer: CertificateUserRule.issuer, backendID: nil, roles: identity.roles, catalogue: roles,
                    level: Principal.standardLevel, virtual: identity.virtual, expiresAt: certificate.notAfter,
                    tokenID: certificate.fingerprint, claims: claims.select(nil, user: identity.user)))
        } catch {
            return .rejected(.unknownSubject)
        }
    }
}

extension CertificateUserRule {
    fileprivate func applies(to certificate: PeerCertificate) -> Bool {
        switch condition {
        case .subject(let name): certificate.name == name
        case .commonName(let name): certificate.name?.commonNames == [name]
        case .name(let pattern): pattern.fits(certificate)
        }
    }

    fileprivate func nameOfUser(in certificate: PeerCertificate) -> String? {
        guard case .taken(let source) = username else {
            if case .fixed(let name) = username { return name }
            return nil
        }
        var names =
            switch source {
            case .subject: certificate.subject.isEmpty ? [] : [certificate.subject]
            case .commonName: (certificate.name?.commonNames ?? []).map { String(decoding: $0, as: UTF8.self) }
            case .dns: certificate.hostNames
            case .email: certificate.emailAddresses
            case .uri: certificate.uris
            }
        if case .name(let pattern) = condition, pattern.kind.rawValue == source.rawValue {
            names = names.filter(pattern.fits(name:))
        }
        return names.count == 1 ? names[0] : nil
    }
}
