import Bytes

/// The calls of the mobile service domain (oam-wire 3).
struct MobileService: Sendable {
    let profile: ClientProfile
    let application: ApplicationProfile
    /// The registration handle of this device, if any.
    var handle: String?

    private static let sdkVersion = "11.1.2.3.0"
    private static let attribute = "X-Idaas-Rest-"

    /// The credentials of a login.
    struct Subject {
        let user: String
        let password: String
    }

    /// The requirement of a step-up login, for which the server may ask for more than a password.
    struct Demand {
        /// The context of a challenge.
        var context: String?
        /// An authentication level.
        var level: Int?
    }

    /// The request for an application's profile (oam-wire 4).
    static func profileRequest(_ profile: ClientProfile, scope: Scope, etag: String?) -> ClientRequest {
        let parameters = [
            ("osType", "Linux"), ("osVer", ""), ("clientSDKVersion", sdkVersion),
            ("serviceDomain", scope.serviceDomain ?? ""),
        ]
        let path = "\(GatewayPaths.mobileSocial)AppProfiles/\(FormText.escaped(scope.appName ?? ""))"
        var request = ClientRequest("GET", profile.url("\(path)?\(FormText.query(parameters))"))
        if let etag { request.fields.append(.init("If-None-Match", etag)) }
        return request
    }

    func register(_ subject: Subject) -> ClientRequest? {
        application.registration.map { path in
            call(path, credentials(subject) + [("New-Token-Type-To-Create", "CLIENTREGHANDLE")], device: true)
        }
    }

    func authenticate(_ subject: Subject, _ demand: Demand) -> ClientRequest {
        let context = demand.context.map { [("Application-Context", $0)] } ?? []
        // OMS-22: the server uses these settings as defaults.
        let wishes = [
            ("sessionTimeout", profile.settings.sessionTimeout), ("idleTimeout", profile.settings.idleTimeout),
            ("maxLoginAttempts", profile.settings.maxLoginAttempts), ("level", demand.level),
        ]
        return call(
            application.authentication, credentials(subject) + [("New-Token-Type-To-Create", "USERTOKEN")] + context,
            device: true, wishes: wishes)
    }

    /// The exchange of a code of a login at an identity provider (RP-02).
    func redeem(_ code: String, _ verifier: String) -> ClientRequest {
        request(application.authentication) { writer in
            writer.member("appName", application.name)
            writer.member("code", code)
            writer.member("codeVerifier", verifier)
        }
    }

    /// A further step of a login (OMS-14).
    func answer(_ challengeID: String, _ answer: String) -> ClientRequest {
        request(application.authentication) { writer in
            writer.member("challengeId", challengeID)
            writer.member("answer", answer)
            writer.member("appName", application.name)
        }
    }

    /// - Parameters:
    ///   - context: the context of the challenge, verbatim (oam-wire 1.3).
    ///   - resource: the URL that was challenged.
    ///   - other: the application of the token, if this one is its agent.
    func access(
        userToken: String, context: String, resource: String, onBehalfOf other: String? = nil
    ) -> ClientRequest {
        call(
            application.access,
            token(userToken) + [
                ("Application-Context", context), ("Application-Resource", resource),
                ("New-Token-Type-To-Create", "ACCESSTOKEN"),
            ], members: other.map { [("onBehalfOf", $0)] } ?? [])
    }

    func logout(userToken: String) -> ClientRequest? { application.logout.map { call($0, token(userToken)) } }

    private func credentials(_ subject: Subject) -> [(String, String)] {
        [
            ("Subject-Type", "USERCREDENTIAL"), ("Subject-Username", subject.user),
            ("Subject-Password", subject.password),
        ]
    }

    private func token(_ value: String) -> [(String, String)] { [("Subject-Type", "TOKEN"), ("Subject-Value", value)] }

    private func call(
        _ path: String, _ attributes: [(String, String)], members: [(String, String)] = [], device: Bool = false,
        wishes: [(String, Int?)] = []
    ) -> ClientRequest {
        request(path) { writer in
            for (name, value) in attributes { writer.member(MobileService.attribute + name, value) }
            writer.member("clientId", application.name)
            for (name, value) in members { writer.member(name, value) }
            if device { writeDevice(to: &writer) }
            for (name, value) in wishes { if let value { writer.member(name, value) } }
        }
    }

    private func request(_ path: String, _ members: (inout JSONWriter) -> Void) -> ClientRequest {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        var request = ClientRequest("POST", profile.url(path), body: writer.bytes)
        request.fields = [.init("Content-Type", "application/json"), .init("X-IDAAS-REST-VERSION", "v1")]
        request.fields.append(.init("X-IDAAS-SERVICEDOMAIN", application.serviceDomain))
        if let handle {
            let credential = FormText.base64("\(application.name):\(handle)")
            request.fields.append(.init("X-Idaas-Rest-Authorization", "UIDPASSWORD cred=\"\(credential)\""))
        }
        return request
    }

    /// Only the claims that the server requests (oam-wire 3.3).
    private func writeDevice(to writer: inout JSONWriter) {
        let claims = [("sdkversion", MobileService.sdkVersion), ("ostype", "Linux"), ("osversion", "")]
        writer.name("deviceProfile")
        writer.beginObject()
        for (name, value) in claims {
            let claim = "oracle:idm:claims:client:\(name)"
            if application.claims.isEmpty || application.claims.contains(claim) { writer.member(claim, value) }
        }
        writer.name("hardwareIds")
        writer.beginObject()
        writer.endObject()
        writer.endObject()
    }
}
