import Bytes
import JOSE

/// Judges an outside token by the rules of its issuer, one check after the other (JTX-10). Pure: the keys have been
/// fetched, and time is an argument.
package struct AssertionVerifier: Sendable {
    package let issuer: AssertionIssuer
    private let users: UserStore
    private let catalogue: RoleCatalogue

    /// By how many seconds the issuer's clock may be ahead of ours. It gives no token a longer life: `exp` is taken to
    /// the second (T21).
    static let clockSkew: Int64 = 60

    package init(issuer: AssertionIssuer, users: UserStore, catalogue: RoleCatalogue) {
        self.issuer = issuer
        self.users = users
        self.catalogue = catalogue
    }

    /// A token to be judged, with what it is judged by.
    package struct Assertion: Sendable {
        package let received: ReceivedToken
        /// The text of the token.
        package let token: [UInt8]
        /// Keys that its issuer may have signed it with.
        package let keys: KeySet

        package init(_ received: ReceivedToken, token: [UInt8], keys: KeySet) {
            self.received = received
            self.token = token
            self.keys = keys
        }

        /// Checks the signature alone. Keys of certificates have no names.
        package func checkSignature(_ issuer: AssertionIssuer) throws(AssertionRejection) {
            var namesKeys = true
            if case .certificates = issuer.keys { namesKeys = false }
            do throws(TokenRejection) {
                try received.verify(token.span, with: keys, algorithms: issuer.algorithms, namesKeys: namesKeys)
            } catch {
                throw AssertionRejection(error)
            }
        }
    }

    /// Who the token speaks of.
    /// - Parameters:
    ///   - realm: of the client's backend (MBE-09); nil looks in all.
    ///   - now: seconds since 1970.
    package func verify(
        _ assertion: Assertion, realm: String?, now: Int64
    ) throws(AssertionRejection) -> ExternalIdentity {
        try check(.signature, assertion, now: now)
        try check(.purpose, assertion, now: now)
        try check(.time, assertion, now: now)
        try check(.audience, assertion, now: now)
        for index in issuer.filters.indices { try check(.filter(index), assertion, now: now) }
        return try identity(assertion, realm: realm)
    }

    /// The checks before anybody is identified, in their order.
    package enum Check: Sendable, Equatable {
        case signature, purpose, time, audience
        /// The filter at this place of the issuer's.
        case filter(Int)
    }

    /// One check alone, for the report to an operator too.
    package func check(_ check: Check, _ assertion: Assertion, now: Int64) throws(AssertionRejection) {
        switch check {
        case .signature: try assertion.checkSignature(issuer)
        case .purpose:
            try AssertionVerifier.rejecting { () throws(TokenRejection) in
                try assertion.received.check(TokenPurpose.assertion)
            }
        case .time:
            try AssertionVerifier.rejecting { () throws(TokenRejection) in
                try assertion.received.checkTimes(now: now, skew: AssertionVerifier.clockSkew, expirySkew: 0)
            }
        case .audience:
            try AssertionVerifier.rejecting { () throws(TokenRejection) in
                try assertion.received.checkAudience(issuer.audiences, isRequired: issuer.requiresAudience)
            }
        case .filter(let index):
            guard issuer.filters[index].isSatisfied(by: assertion.received.claims) else { throw .filterNotSatisfied }
        }
    }

    /// User name, client id check, mapping and roles: of claims that have been verified.
    package func identity(_ assertion: Assertion, realm: String?) throws(AssertionRejection) -> ExternalIdentity {
        do throws(ExternalIdentityRejection) {
            return try issuer.rules.identify(
                claims: assertion.received.claims, realm: realm, users: users, catalogue: catalogue)
        } catch {
            throw AssertionRejection(error)
        }
    }

    func roleNames(_ roles: RoleSet) -> [String] { catalogue.names(of: roles) }

    private static func rejecting(_ body: () throws(TokenRejection) -> Void) throws(AssertionRejection) {
        do throws(TokenRejection) { try body() } catch { throw AssertionRejection(error) }
    }
}
