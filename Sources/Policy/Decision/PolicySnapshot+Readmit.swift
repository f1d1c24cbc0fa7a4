import Bytes
import HTTP
import Identity
import Model

/// The outcome of another decision about an exchange that began under an earlier configuration.
package enum Readmission {
    /// The exchange would be admitted today: by this route, as this caller.
    case admitted(Route, Principal?)
    case refused(Reason)
}

extension PolicySnapshot {
    /// Decides again about a long-lived exchange, such as a WebSocket (GW-11), under another configuration or where an
    /// issuer has withdrawn a key: its route, the origin that opened it, its certificate, its caller and the caller's
    /// rights. A token is verified again, with the current keys and mapping rules; for a password only the holder is
    /// looked up.
    ///
    /// - Parameters:
    ///   - principal: nil where the exchange began without a credential.
    ///   - request: what is left of the request.
    ///   - address: of the client.
    ///   - certificate: of the client, with the current rules, asked for where the route looks at it.
    ///   - now: seconds since 1970.
    package func readmit(
        _ principal: Principal?, _ request: BufferedRequest, path: Span<UInt8>, from address: IPAddress? = nil,
        certificate: () -> PresentedCertificate? = { nil }, now: Int64, cache: VerifiedTokenCache
    ) -> Readmission {
        // Without an upstream nothing goes on.
        guard var run = try? DecisionRun(self, request, path: [UInt8](copying: path), steps: .review, now: now),
            let route = run.decision.route, route.entry.answer == nil
        else { return .refused(.noRoute) }
        guard CanonicalPath.spellings(in: path).isSubset(of: route.entry.options.keptSpellings) else {
            return .refused(.ambiguousPath)
        }
        do throws(Reason) {
            _ = try run.finish { (step, run) throws(Reason) in
                switch step {
                case .address:
                    if route.entry.options.addresses?.accepts(address) == false { throw .addressNotAllowed }
                case .certificate: if let denial = route.refusal(of: certificate()) { throw denial }
                case .credential where !route.isPublic:
                    guard let principal else { break }
                    let shown = route.entry.options.takesCertificates ? certificate() : nil
                    let again = PresentedAgain(route: route, certificate: shown, now: now, cache: cache)
                    run.decision.principal = try current(principal, again).get()
                default: break
                }
            }
            return .admitted(route, run.decision.principal)
        } catch {
            return .refused(error)
        }
    }

    /// The caller under the current configuration, and the key beside its credential.
    private func current(_ principal: Principal, _ again: PresentedAgain) -> Result<Principal, Reason> {
        let result = currentHolder(principal, again)
        guard let consumer = principal.consumer, case .success(let holder) = result else { return result }
        switch consumerKeys.renew(consumer, now: again.now) {
        case .principal(let key): return .success(holder.with(key: key))
        case .rejected(let reason), .malformed(let reason): return .failure(reason)
        case .none, .resolve: return .failure(.apiKeyUnknown)
        }
    }

    private func currentHolder(_ principal: Principal, _ again: PresentedAgain) -> Result<Principal, Reason> {
        // One of a kind that the list does not have is refused for its rights.
        let judge = again.route.authenticators?.judge(of: principal.method) ?? usual.judge(of: principal.method)
        switch judge?.renew(principal, again, policy: self) ?? .rejected(.unsupportedScheme) {
        case .principal(let renewed): return .success(renewed)
        case .none: return .failure(.missingCredential)
        // The caller stays the one of the beginning while nothing speaks against it: to ask again would end long-lived
        // exchanges whenever another server is down.
        case .resolve, .rejected(.storeUnavailable), .rejected(.keysUnavailable):
            if revocations.isRevoked(principal) { return .failure(.tokenRevoked) }
            if let end = principal.expiresAt, end <= again.now { return .failure(.tokenExpired) }
            if principal.application == nil { return .success(principal) }
            return opaqueTokens?.renew(principal).map { .success($0) } ?? .failure(.unknownSubject)
        case .rejected(let reason), .malformed(let reason): return .failure(reason)
        }
    }
}
