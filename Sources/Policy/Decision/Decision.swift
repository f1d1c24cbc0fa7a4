import Bytes
import HTTP
import Identity
import Model

/// The decision about one request: an ordered list of steps that is advanced until the request is denied, answered or
/// admitted (AMB-32).
///
/// The data plane, `explain`, the review of long-lived exchanges and the administration all drive this list, so that they
/// cannot disagree. `advance` takes the steps that the policy answers by itself, and stops at those that need something of
/// the driver's: a counter of rates, a certificate, the verification of a credential. The driver answers, and advances
/// again; a decision that waits for an answer is kept with the request.
package struct Decision: ~Copyable {
    /// A step, in the order in which steps are taken.
    package enum Step: UInt8, CaseIterable, Sendable {
        /// Cross-site rules, before any credential is looked at (CORS-06).
        case origin
        /// A preflight is answered by the gateway.
        case preflight
        /// An endpoint is no tunnel, nor is a route without an upstream: its client would take any 2xx for one (RFC 8441 section 4).
        case tunnel
        /// The target exists and has the method. Follows `origin`, so that an allowed page can read the 404 or 405.
        case method
        /// The upstream cannot read the path in another way (ROLE-05).
        case secondReading
        /// The client's address.
        case address
        /// Rates by route and by address, before any credential is verified: a flood of bad ones is held back too.
        case rate
        /// Rules of the gateway's own endpoints: encryption, forms of foreign sites.
        case endpointRules
        /// The certificate of the connection.
        case certificate
        /// The declared length of the body.
        case body
        /// Verification of the credential.
        case credential
        /// The proof that the caller has the key or certificate that its token is bound to.
        case proof
        /// Rates by principal.
        case principalRate
        /// A caller is known.
        case caller
        /// The claims that the request makes beside its credential: its site, its client, an application key.
        case claims
        /// Login rules, level and roles.
        case rights
        /// The policy servers of the rule.
        case policy
        /// The rule on trial, which refuses nothing.
        case trial
        /// The policy servers of the rule on trial.
        case trialPolicy
        /// The message in the body: its tool, resource or prompt.
        case message
        /// The route answers by itself.
        case answer
    }

    /// A set of steps.
    package struct Steps: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        init(_ steps: Step...) { rawValue = steps.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

        /// All steps.
        package static let request = Steps(rawValue: .max)
        /// Those about an exchange that goes on: what its request said when it began is not asked again.
        package static let review = Steps(
            .origin, .method, .secondReading, .address, .certificate, .credential, .caller, .rights)
        /// Those that count requests.
        package static let rates = Steps(.rate, .principalRate)
        /// Those that find the route alone.
        package static let target = Steps(.method)

        fileprivate static let nowhere = Steps(.origin, .preflight, .method)
        fileprivate static let publicRoute = Steps(
            .origin, .preflight, .secondReading, .address, .rate, .certificate, .body, .credential, .proof,
            .principalRate)
        fileprivate static let route = publicRoute.union(Steps(.caller, .claims, .rights, .trial))
        fileprivate static let endpoint = Steps(.origin, .preflight, .tunnel, .rate, .endpointRules)
        fileprivate static let principalEndpoint = endpoint.union(Steps(.credential, .proof, .caller))
        fileprivate static let preflight = Steps(.preflight)
        fileprivate static let crossSite = Steps(.origin, .preflight)
        fileprivate static let certificate = Steps(.certificate)
        fileprivate static let caller = Steps(.caller)
        fileprivate static let address = Steps(.address)
        fileprivate static let trial = Steps(.trial)
        fileprivate static let policy = Steps(.policy)
        fileprivate static let trialPolicy = Steps(.trialPolicy)
        fileprivate static let message = Steps(.message)

        /// The steps of a route.
        init(_ route: RouteEntry, readsCertificate: Bool) {
            let access = route.access
            self = access.isPublic ? .publicRoute : .route
            if access.isOptional { subtract(.caller) }
            if route.options.addresses == nil { subtract(.address) }
            if !readsCertificate { subtract(.certificate) }
            if access.trial.isEmpty { subtract(.trial) }
            if !access.policyServers.isEmpty { formUnion(.policy) }
            if access.trial.contains(where: { !Set($0.policyServers).isSubset(of: access.policyServers) }) {
                formUnion(.trialPolicy)
            }
            if route.options.mcp != nil { formUnion(.message) }
            // Its answer would be taken for a tunnel, too.
            if route.answer != nil { formUnion(Steps(.tunnel, .answer)) }
        }

        fileprivate mutating func removeFirst() -> Step? {
            guard let step = Step(rawValue: UInt8(rawValue.trailingZeroBitCount)) else { return nil }
            self = Steps(rawValue: rawValue & (rawValue &- 1))
            return step
        }
    }

    /// Where a decision stops.
    package enum Turn: Sendable {
        /// The driver answers `tunnel`, `address`, `rate`, `certificate`, `body`, `credential`, `proof`, `principalRate`, `policy`,
        /// `message` or `answer`: it ends the request, or advances. For `credential` it sets `principal` before that; of `trial` it keeps `trialDenial`, to which
        /// `trialPolicy` adds.
        case ask(Step)
        case deny(Reason)
        /// The gateway answers the preflight.
        case answerPreflight
        /// The gateway answers a browser that looks for an icon: an error would interest no one.
        case answerIcon
        /// The request goes to the route's upstream or to the endpoint.
        case admit
    }

    /// The route; also that of the pattern which lacks the method.
    package let route: Route?
    package let endpoint: EndpointRoute?
    /// What the `Origin` of the request amounts to.
    package let screening: OriginVerdict
    /// Whether the answer depends on `Origin`.
    package let readsOrigin: Bool
    /// Whether the request was sent in private: over TLS, as the gateway or a trusted proxy sees it, or by a listener
    /// that accepts credentials in the clear (GW-13). Set by the driver where there is an endpoint.
    package var isConfidential = true
    /// The verified caller, with the roles that count on the route; nil where the request has no credential that counts.
    /// Set by the driver.
    package var principal: Principal? {
        didSet {
            if route?.entry.options.trustsRegisteredClients == true, let unlimited = principal?.unlimited {
                principal = unlimited
            }
        }
    }
    /// Why the rule on trial would have refused the request; nil where it would not.
    package private(set) var trialDenial: Reason?
    /// The step that was taken last.
    package private(set) var step = Step.origin
    private var remaining: Steps
    /// Seconds since 1970 at the start.
    private let now: Int64

    /// Finds the target of a request and screens its origin. Allocates nothing.
    ///
    /// - Parameters:
    ///   - path: the canonical path; may stand in another buffer than the head.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - steps: those that the driver wants taken.
    ///   - now: seconds since 1970.
    package init(
        _ policy: PolicySnapshot, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable,
        steps: Steps = .request, now: Int64
    ) {
        self.now = now
        var own: Steps
        switch policy.match(path: path, bytes: bytes, head: head, headers: headers) {
        case .route(let found):
            (route, endpoint) = (found, nil)
            own = found.steps
        case .selection(let selection):
            let (found, hasMethod) = selection.choose(bytes: bytes, head: head, headers: headers)
            (route, endpoint) = (found, nil)
            own = hasMethod ? found?.steps ?? .nowhere : .nowhere
        case .endpoint(let found):
            (route, endpoint) = (nil, found)
            let traits = found.descriptor.traits
            let isVerifiedByHandler =
                found.descriptor.tokenField.map { headers.hasTokenOnly(in: $0, bytes) } ?? false
            own = traits.contains(.needsPrincipal) && !isVerifiedByHandler ? .principalEndpoint : .endpoint
            let isForeign = head.method == .post && traits.contains(.takesForeignForms)
            if isForeign || traits.contains(.isForAnyOrigin)
                || traits.contains(.servesPages) && headers.nameNoPage(bytes)
            {
                own.subtract(.crossSite)
            }
        case .methodNotAllowed(let found):
            (route, endpoint) = (found, nil)
            own = .nowhere
        case .notFound:
            (route, endpoint) = (nil, nil)
            own = .nowhere
        }
        readsOrigin = own.contains(.crossSite)
        if readsOrigin, headers.occurrences(.origin) > 0 {
            screening = policy.screenOrigin(
                route, at: endpoint?.descriptor, bytes: bytes, head: head, headers: headers)
            if screening != .preflight || route == nil && endpoint == nil { own.subtract(.preflight) }
        } else {
            screening = .notCrossSite
            own.subtract(.crossSite)
        }
        remaining = own.intersection(steps)
    }

    /// Takes steps until one ends the decision or needs the driver. Allocates nothing for a plain path.
    package mutating func advance(
        _ policy: PolicySnapshot, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> Turn {
        while let next = remaining.removeFirst() {
            step = next
            var denial: Reason?
            switch next {
            case .origin:
                denial = screening.denial
                if denial == nil, let route, route.cors.refusesOnTrial(headers, bytes) {
                    trialDenial = .corsDenied
                    return .ask(.trial)
                }
            case .preflight: return .answerPreflight
            case .method:
                if route == nil, BrowserIcon.isAsked(path, head.method) { return .answerIcon }
                denial = route == nil ? .noRoute : .methodNotAllowed
            case .secondReading:
                guard let route else { continue }
                if ReadingConflict.find(policy, route, path: path, bytes: bytes, head: head, headers: headers) != nil {
                    denial = .ambiguousPath
                }
            case .endpointRules:
                guard let descriptor = endpoint?.descriptor else { continue }
                denial = policy.screen(
                    descriptor, bytes: bytes, head: head, headers: headers, isConfidential: isConfidential)
            case .proof: if principal?.binding != nil { return .ask(.proof) }
            case .tunnel, .address, .rate, .certificate, .body, .credential, .principalRate, .policy, .message, .answer:
                return .ask(next)
            // What the rule itself would refuse is not asked about.
            case .trialPolicy: if trialDenial == nil { return .ask(.trialPolicy) }
            case .caller:
                if principal == nil { denial = .missingCredential }
                // The gateway's own endpoints are no resource.
                if endpoint != nil, principal?.resources.isEmpty == false { denial = .wrongAudience }
            case .claims:
                guard let route, let principal else { continue }
                denial = policy.refusesClaims(route, principal, bytes: bytes, head: head, headers: headers)
            case .rights:
                guard let route, let principal else { continue }
                denial = policy.authorize(
                    route, principal, head, bytes.slice(head.methodText), path: path, now: now)
            case .trial:
                guard trialDenial == nil, let trial = route?.trial, let principal else { continue }
                trialDenial = policy.authorize(
                    trial, principal, head, bytes.slice(head.methodText), path: path, now: now)
                if trialDenial != nil { return .ask(.trial) }
            }
            if let denial { return .deny(denial) }
        }
        return .admit
    }
}

extension HeaderTable {
    /// Whether the token in this field is the only credential.
    fileprivate func hasTokenOnly(in field: String, _ bytes: Span<UInt8>) -> Bool {
        guard occurrences(.authorization) == 0 else { return false }
        for i in 0..<count where self[i].token == .other {
            if bytesEqualIgnoringCase(bytes.slice(self[i].name), field.utf8.span) { return true }
        }
        return false
    }
}
