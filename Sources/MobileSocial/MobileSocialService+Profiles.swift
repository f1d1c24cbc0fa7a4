import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model

/// The profiles that applications ask for when they start (OMS-03, oam-wire 4). They hold no secret and are given to
/// everybody.
extension MobileSocialService {
    func profile(of application: String, _ request: EndpointRequest) throws(MobileSocialFailure) -> EndpointResponse {
        guard request.method == .get || request.method == .head else { throw .methodNotAllowed }
        let attributes = try RequestAttributes(request)
        // OMS-01: unknown domain or application, 404. The domain comes in the query here, and not in a field.
        let named = try attributes.field("X-IDAAS-SERVICEDOMAIN")
        guard let name = attributes.parameter("serviceDomain") ?? named, let domain = domain(named: name) else {
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
        var writer = JSONWriter()
        writer.beginObject()
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
        writeEndpoints(of: domain, to: &writer)
        writer.member("profileCacheDuration", application.profileCacheSeconds)
        if let scheme = domain.scheme { writer.member("authenticationScheme", scheme) }
        if let scheme = application.urlScheme { writer.member("urlScheme", scheme) }
        writePolicy(of: application, domain, to: &writer)
        writer.name("mobileAppConfig")
        writer.beginObject()
        writer.member("claimAttributes", application.claimAttributes)
        writer.endObject()
        writer.name("mobileCustomAttributes")
        writer.value(JSONNode(.object(application.customAttributes)))
        writeSingleSignOn(of: application, domain, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Absolute URLs. The name of the domain stands in the path, so that they say all there is to say.
    private func writeEndpoints(of domain: ServiceDomain, to writer: inout JSONWriter) {
        let base = "\(settings.baseURL)\(MobileSocialEndpoints.path)"
        let own = "\(base)\(PathSegment.encode(domain.name))"
        writer.name("endpoints")
        writer.beginObject()
        writer.member("registration", "\(own)/register")
        writer.member("authentication", "\(own)/authenticate")
        writer.member("authorization", "\(own)/access")
        writer.member("validation", "\(own)/tokens/info")
        writer.member("logout", "\(own)/logout")
        writer.member("userProfile", "\(base)userprofile")
        writer.endObject()
    }

    /// What the server sets for its clients (OMS-22); a member that is not there is for the application to choose.
    private func writePolicy(
        of application: MobileApplication, _ domain: ServiceDomain, to writer: inout JSONWriter
    ) {
        writer.name("securityPolicy")
        writer.beginObject()
        if let allowed = application.offlineAuthentication { writer.member("offlineAuthentication", allowed) }
        if let seconds = application.sessionTimeout { writer.member("sessionTimeout", seconds) }
        if let seconds = application.idleTimeout { writer.member("idleTimeout", seconds) }
        if let count = application.maximumLoginAttempts { writer.member("maxLoginAttempts", count) }
        writer.member("lockoutSeconds", application.lockoutSeconds)
        writer.member("authenticationLevel", domain.level)
        writer.member("kba", domain.secondStep.question)
        writer.member("otp", domain.secondStep.code)
        writer.member("registrationRequired", domain.isMobile)
        writer.endObject()
    }

    /// AGT-01
    private func writeSingleSignOn(
        of application: MobileApplication, _ domain: ServiceDomain, to writer: inout JSONWriter
    ) {
        writer.name("sso")
        writer.beginObject()
        writer.member("participate", application.participates)
        if let priority = application.agentPriority { writer.member("agentPriority", priority) }
        if application.participates, let agent = domain.agent { writer.member("agent", agent.name) }
        writer.endObject()
    }
}
