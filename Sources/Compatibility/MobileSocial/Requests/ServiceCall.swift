import Bytes
import Endpoints
import Model
import OAuthServer

/// A call of a service.
struct ServiceCall: Sendable {
    let request: EndpointRequest
    let attributes: RequestAttributes
    let domain: ServiceDomain
    let ownTokens: OwnAccessTokens
    /// Seconds since 1970.
    let now: Int64
    /// Members of the response after a login at an identity provider.
    var provided: ProvidedReply?
}

extension ServiceCall {
    /// Refuses a call that names another token type than the one it makes.
    func check(makes type: TokenType) throws(MobileSocialFailure) {
        guard let wanted = try attributes.attribute("New-Token-Type-To-Create") else { return }
        guard TokenType(wanted).isExactly(type) else { throw .unsupportedTokenType }
    }

    /// The user token of a call: the subject, a member, or a bearer token (CHAL-10).
    func userToken() throws(MobileSocialFailure) -> String? {
        if let type = try attributes.attribute("Subject-Type") {
            guard type.isExactly("TOKEN") else { return nil }
            guard let token = try attributes.attribute("Subject-Value") else { throw .missingAttribute }
            return token
        }
        if let token = try attributes.attribute("Subject-Value", or: "userToken") { return token }
        return request.presentedToken
    }

    /// The application named by the body: `clientId` of existing clients, `appName` in OMS-06.
    func applicationName() throws(MobileSocialFailure) -> String? {
        let (attested, plain) = (try attributes.member("clientId"), try attributes.member("appName"))
        if let attested, let plain, !attested.isExactly(plain) { throw .conflictingAttribute }
        return attested ?? plain
    }

    /// The application named by the body, or the default.
    func namedApplication(
        _ standard: MobileApplication? = nil
    ) throws(MobileSocialFailure) -> MobileApplication {
        if let standard, try applicationName() == nil { return standard }
        let standard = domain.applications.count == 1 ? domain.applications[0].name : nil
        guard let name = try applicationName() ?? domain.defaultApplication ?? standard else {
            throw .missingAttribute
        }
        guard let application = domain.application(named: name) else { throw .unknownApplication }
        return application
    }

    /// The device profile of the call, if the domain accepts such devices (OMS-15).
    func deviceProfile() throws(MobileSocialFailure) -> DeviceProfile {
        guard let node = attributes.node("deviceProfile"), !node.isNull else { return .none }
        guard node.members != nil else { throw .malformedAttribute }
        guard let profile = DeviceProfile.read(node) else { throw .deviceProfileTooLong }
        if domain.deviceRules.contains(where: { $0.denies(profile) }) { throw .deviceDenied }
        return profile
    }

    /// User name and password of a call: attributes, members, or `Authorization: Basic`.
    func credentials() throws(MobileSocialFailure) -> (username: String, password: String) {
        let type = try attributes.attribute("Subject-Type") ?? "USERCREDENTIAL"
        guard type.isExactly("USERCREDENTIAL") else { throw .malformedAttribute }
        let username = try attributes.attribute("Subject-Username", or: "username")
        let password = try attributes.attribute("Subject-Password", or: "password")
        if let username, let password { return (username, password) }
        guard username == nil, password == nil else { throw .missingAttribute }
        guard request.authorization.count == 1,
            let pair = PresentedSecret.pair(request.authorization[0]),
            let name = String(streamSafe: pair.id),
            let secret = String(streamSafe: pair.secret)
        else { throw .missingAttribute }
        return (name, secret)
    }

    func sessionLimits(
        of application: MobileApplication
    ) throws(MobileSocialFailure) -> SessionLimits {
        SessionLimits(
            session: (application.sessionTimeout, try attributes.number("sessionTimeout")),
            idle: (application.idleTimeout, try attributes.number("idleTimeout")))
    }

    /// Name of the application that the caller requests something for; nil for itself.
    func clientOfAgent() throws(MobileSocialFailure) -> String? {
        try attributes.member("onBehalfOf")
    }
}

extension EndpointRequest {
    /// The bearer token of a request.
    var presentedToken: String? {
        credentials(["bearer", "oam-auth"]).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
