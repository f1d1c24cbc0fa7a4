import Bytes
import JOSE

/// Verifies an outside token by the rules of its issuer, check by check (JTX-10). Pure: the keys are fetched
/// beforehand, and time is an argument.
package struct AssertionVerifier: Sendable {
    package let issuer: AssertionIssuer
    private let users: UserStore
    private let catalogue: RoleCatalogue

    /// Seconds by which the issuer's clock may be ahead. It does not extend lifetimes: `exp` is exact to the second
    /// (T21).
    static let clockSkew: Int64 = 60

    package init(issuer: AssertionIssuer, users: UserStore, catalogue: RoleCatalogue) {
        self.issuer = issuer
        self.users = users
        self.catalogue = catalogue
    }

    /// A token with the inputs of its verification.
    package struct Assertion: Sendable {
        package let received: ReceivedToken
        /// The encoded token.
        package let token: [UInt8]
        /// Candidate signature keys of the issuer.
        package let keys: KeySet

        package init(_ received: ReceivedToken, token: [UInt8], keys: KeySet) {
            self.received = received
            self.token = token
            self.keys = keys
        }

        /// Checks the signature alone.
        package func checkSignature(_ issuer: AssertionIssuer) throws(AssertionRejection) {
            do throws(TokenRejection) {
                try received.verify(token.span, with: keys, algorithms: issuer.algorithms)
            } catch {
                throw AssertionRejection(error)
            }
        }
    }

    /// Verifies the token and identifies its user.
    /// - Parameters:
    ///   - realm: of the client; nil searches all realms.
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

    /// The checks before the user is identified, in order.
    package enum Check: Sendable, Equatable {
        case signature, purpose, time, audience
        /// The issuer's filter with this index.
        case filter(Int)
    }

    /// Runs one check; also used for the operator's report.
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

    /// User name, client id check, mapping and roles. The claims must be verified.
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
