import Bytes
import Endpoints
import HTTP
import Model

/// The profiles that applications request at their start (OMS-03, oam-wire 4). They hold no secret and are public.
final class ProfileEndpoint: Sendable {
    private let settings: MobileSocialSettings

    init(_ settings: MobileSocialSettings) { self.settings = settings }

    func profile(of application: String, _ request: EndpointRequest) throws(MobileSocialFailure) -> EndpointResponse {
        guard request.method == .get || request.method == .head else { throw .notGET }
        let attributes = try RequestAttributes(request)
        // OMS-01: 404 for an unknown domain or application. Here the domain is a query parameter.
        let named = try attributes.field("X-IDAAS-SERVICEDOMAIN")
        guard let name = attributes.parameter("serviceDomain") ?? named, let domain = settings.domain(named: name)
        else {
            throw .unknownService
        }
        guard let application = domain.application(named: application) else { throw .unknownApplication }
        let body = json(of: application, domain)
        let tag = EntityTag.tag(of: body)
        // OMS-04
        let caching = [
            (name: "ETag", value: tag),
            (name: "Cache-Control", value: "private, max-age=\(application.profileCacheSeconds)"),
        ]
        if let known = request.field("if-none-match"), EntityTag.isKnown(tag, to: known) {
            return EndpointResponse(status: 304, headers: caching, body: [], reason: .profileUnchanged)
        }
        return EndpointResponse(
            status: 200, headers: [(name: "Content-Type", value: "application/json")] + caching, body: body,
            reason: .profile)
    }

    private func json(of application: MobileApplication, _ domain: ServiceDomain) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("applicationName", application.name)
            writer.member("name", application.name)
            writer.member("serviceDomain", domain.name)
            if let service = domain.services.first {
                let path = "\(MobileSocialEndpoints.path)\(PathSegment.encode(service))"
                writer.member("registrationService", "\(path)/register")
                writer.member("userAuthService", "\(path)/authenticate")
                writer.member("accessService", "\(path)/access")
                writer.member("validateService", "\(path)/tokens/info")
                writer.member("deleteService", "\(path)/logout")
            }
            writer.member("endpoints") { writeEndpoints(of: domain, to: &$0) }
            writer.member("profileCacheDuration", application.profileCacheSeconds)
            if let scheme = domain.scheme { writer.member("authenticationScheme", scheme) }
            writer.member("identityProviders", domain.relyingParties.map(\.provider))
            if let scheme = application.urlScheme { writer.member("urlScheme", scheme) }
            writer.member("securityPolicy") { application.settings.writePolicy(domain, to: &$0) }
            writer.member("mobileAppConfig") { $0.member("claimAttributes", application.claimAttributes) }
            writer.member("mobileCustomAttributes", JSONNode(.object(application.customAttributes)))
            writer.member("sso") { writer in
                writer.member("participate", application.participates)
                if let priority = application.agentPriority { writer.member("agentPriority", priority) }
                if application.participates, let agent = domain.agent { writer.member("agent", agent.name) }
            }
        }
    }

    /// Absolute URLs with the name of the domain, so that clients need not name it elsewhere.
    private func writeEndpoints(of domain: ServiceDomain, to writer: inout JSONWriter) {
        let base = "\(settings.baseURL)\(MobileSocialEndpoints.path)"
        let own = "\(base)\(PathSegment.encode(domain.name))"
        writer.member("registration", "\(own)/register")
        writer.member("authentication", "\(own)/authenticate")
        writer.member("authorization", "\(own)/access")
        writer.member("validation", "\(own)/tokens/info")
        writer.member("logout", "\(own)/logout")
        if settings.servesUserProfiles { writer.member("userProfile", "\(base)userprofile") }
    }
}

extension MobileApplicationSettings {
    /// The settings of the server for its clients (OMS-22); the application chooses the absent ones.
    fileprivate func writePolicy(_ domain: ServiceDomain, to writer: inout JSONWriter) {
        if let allowed = offlineAuthentication { writer.member("offlineAuthentication", allowed) }
        if let seconds = sessionTimeout { writer.member("sessionTimeout", seconds) }
        if let seconds = idleTimeout { writer.member("idleTimeout", seconds) }
        if let count = maximumLoginAttempts { writer.member("maxLoginAttempts", count) }
        writer.member("lockoutSeconds", lockoutSeconds)
        writer.member("authenticationLevel", domain.level)
        writer.member("kba", domain.secondStep.question)
        writer.member("otp", domain.secondStep.code)
        writer.member("registrationRequired", domain.isMobile)
    }
}
