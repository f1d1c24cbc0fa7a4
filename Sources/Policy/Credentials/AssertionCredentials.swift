import Bytes
import Identity
import Model
import Outbound

/// Issuers of SAML assertions, and the memory of those that were used.
package struct AssertionSettings: CredentialSettings {
    /// Remembers a key until a time; false if it was remembered before, nil if the store does not answer. Times are seconds
    /// since 1970.
    package typealias Memory = @Sendable (_ key: String, _ until: Int64, _ now: Int64) -> Effect<Bool?>

    let sources: AssertionSources
    let memory: Memory

    package init(_ sources: AssertionSources, memory: @escaping Memory) {
        self.sources = sources
        self.memory = memory
    }
}

/// The authenticator for SAML assertions of the issuers in `samlIssuers`.
struct AssertionCredentials: Sendable {
    private let settings: AssertionSettings
    private let users: UserStore
    private let roles: RoleCatalogue
    private let revocations: RevocationList
    private let claims: ClaimSelection
    private let refused = RecentEvidence()

    init(_ settings: AssertionSettings, _ policy: PolicySettings, _ claims: ClaimSelection) {
        self.settings = settings
        self.claims = claims
        users = policy.users
        roles = policy.roles
        revocations = policy.revocations
    }

    /// Verifies an assertion on the computing pool, whose queue is bounded.
    ///
    /// - Parameters:
    ///   - packed: as it came.
    ///   - now: seconds since 1970.
    func authenticate(_ packed: [UInt8], now: Int64) -> Effect<Result<Principal, Reason>> {
        .offload { [self] in
            settings.sources.candidate(in: packed, now: now).then { result in
                switch result {
                case .failure(let refusal): .done(.failure(Reason(refusal)))
                case .success(let candidate):
                    settings.sources.assertion(of: candidate, now: now).then { result in
                        switch result {
                        case .failure(let rejection): .done(.failure(Reason(rejection)))
                        case .success(let assertion): admit(assertion, candidate.issuer, packed, now: now)
                        }
                    }
                }
            }
        }
    }

    private func admit(
        _ assertion: SAMLAssertion, _ issuer: AssertionIssuer, _ packed: [UInt8], now: Int64
    ) -> Effect<Result<Principal, Reason>> {
        let principal: Principal
        do throws(Reason) {
            principal = try self.principal(of: assertion, issuer, packed, now: now)
        } catch {
            return .done(.failure(error))
        }
        guard let name = issuer.singleUseName(of: assertion), let end = principal.expiresAt else {
            return .done(.success(principal))
        }
        return settings.memory(issuer.singleUseKey(name), end, now).map { isFresh in
            switch isFresh {
            case true?: .success(principal)
            case false?: .failure(.assertionReplayed)
            case nil: .failure(.storeUnavailable)
            }
        }
    }

    /// The caller of a verified assertion. An issuer for certain mobile backends has no users here, since an assertion
    /// belongs to no client.
    private func principal(
        of assertion: SAMLAssertion, _ issuer: AssertionIssuer, _ packed: [UInt8], now: Int64
    ) throws(Reason) -> Principal {
        guard issuer.allowedClients == nil else { throw .issuerNotAllowed }
        let end: Int64
        do throws(SAMLRejection) {
            end = try issuer.samlConditions.check(assertion, now: now) + SAMLConditions.clockSkew
        } catch {
            refused.keep(issuer.samlConditions.evidence(on: assertion, now: now), of: packed.span)
            throw Reason(error)
        }
        let identity: ExternalIdentity
        do throws(ExternalIdentityRejection) {
            identity = try issuer.rules.identify(assertion, realm: nil, users: users, catalogue: roles)
        } catch {
            throw .unknownSubject
        }
        // Neither policy nor certificates are older than that.
        let policy = settings.sources.currentPolicy
        let knownUntil = now + min(policy.policyReload.maximum, policy.certificateReload.maximum)
        let principal = Principal(
            kind: .user, method: .saml, subject: identity.username, issuer: issuer.name, backendID: nil,
            roles: identity.roles, catalogue: roles, level: issuer.level, virtual: identity.virtual,
            expiresAt: end, issuedAt: assertion.issueInstant, tokenID: assertion.id,
            token: packed, knownUntil: issuer.singleUseName(of: assertion) == nil ? min(end, knownUntil) : 0,
            claims: claims.select(
                assertion.claims, user: identity.user,
                authentication: AuthenticationClaims(
                    levels: [assertion.authnContextClass].compactMap(\.self), time: assertion.authnInstant,
                    clockSkewSeconds: SAMLConditions.clockSkew)))
        if revocations.isRevoked(principal) { throw .tokenRevoked }
        return principal
    }

    /// What was compared in an assertion that was refused just now; nil for another one.
    func evidence(on packed: Span<UInt8>) -> Evidence? { refused.evidence(of: packed) }

    /// An earlier caller under the current keys and rules. Computes synchronously.
    func renew(_ principal: Principal, now: Int64) -> AuthenticationOutcome {
        switch settings.sources.verifyAgain(principal.token, now: now) {
        case .failure(let refusal): return .rejected(Reason(refusal))
        case .success(let (assertion, issuer)):
            do throws(Reason) {
                return .principal(try self.principal(of: assertion, issuer, principal.token, now: now))
            } catch {
                return .rejected(error)
            }
        }
    }
}
