import Foundation
import Testing

/// The fixture with service domains: a mobile one, one without registrations, and a circle of trust.
final class MobileFixture: Sendable {
    static let domain = "MobileServiceDomain"
    static let mobile = "/oic_rest/rest/mobileoamauthentication"
    static let plain = "/oic_rest/rest/oamauthentication"

    let gateway: Fixture

    /// - Parameters:
    ///   - application: further members of `DemoApp`.
    ///   - domain: further members of the mobile domain.
    init(
        application: String = "", domain: String = "", files: [String: String] = [:],
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        gateway = try Fixture(files: files) { settings in
            settings["serviceDomains"] = Self.domains(application: application, domain: domain)
            settings["passwords"] = #"{"throttle": {"failuresPerUser": 1000, "failuresPerAddress": 1000}}"#
            change(&settings)
        }
    }

    static func domains(application: String = "", domain: String = "") -> String {
        """
        {
          "MobileServiceDomain": {"mobile": true, "securityHandler": "oaam", "denyDevices": [{"jailbroken": true}]\(domain),
            "applications": {"DemoApp": {"backend": "inventory/1.0", "maxLoginAttempts": 3, "lockoutSeconds": 2,
              "claimAttributes": ["oracle:idm:claims:client:ostype"]\(application)},
              "OtherApp": {"backend": "inventory/1.0"}}},
          "Default": {"defaultApplication": "inventory",
            "applications": {"inventory": {"backend": "inventory/1.0", "sharedSecret": "shared", "maxLoginAttempts": 9}}},
          "Circle": {"applications": {
            "agent": {"backend": "inventory/1.0", "sso": {"participate": true, "agentPriority": 1}},
            "reserve": {"backend": "inventory/1.0", "sso": {"participate": true, "agentPriority": 2}},
            "client": {"backend": "scheduler/1.0", "sso": {"participate": true, "agentPriority": null}},
            "loner": {"backend": "scheduler/1.0"}}}
        }
        """
    }

    // MARK: Calls

    func post(
        _ target: String, _ body: String, domain: String? = MobileFixture.domain, proof: String? = nil,
        _ more: [Field] = [], at process: GatewayProcess? = nil
    ) throws -> Response {
        var fields: [Field] = ["Content-Type: application/json"] + more
        if let domain { fields.append(Field(name: "X-IDAAS-SERVICEDOMAIN", value: domain)) }
        if let proof { fields.append(Self.uidPassword(proof)) }
        return try (process ?? gateway.gateway).request("POST", target, fields, body: body)
    }

    /// - Parameter proof: `clientId:handle`.
    static func uidPassword(_ proof: String) -> Field {
        Field(
            name: "X-Idaas-Rest-Authorization", value: #"UIDPASSWORD cred="\#(JSONWebToken.base64(proof))""#)
    }

    static func login(
        _ type: String, user: String = "joe", password: String = "Welcome1", app: String = "DemoApp",
        device: String = "{\"hardwareIds\":{}}", more: String = ""
    ) -> String {
        """
        {"X-Idaas-Rest-Subject-Type":"USERCREDENTIAL","X-Idaas-Rest-Subject-Username":"\(user)",
         "X-Idaas-Rest-Subject-Password":"\(password)","X-Idaas-Rest-New-Token-Type-To-Create":"\(type)",
         "deviceProfile":\(device),"clientId":"\(app)"\(more)}
        """
    }

    /// A handle for `DemoApp`.
    func handle(_ app: String = "DemoApp", device: String = "{\"hardwareIds\":{}}") throws -> String {
        let response = try post(Self.mobile + "/register", Self.login("CLIENTREGHANDLE", app: app, device: device))
        return try #require(
            JSONText(response.text)["X-Idaas-Rest-Token-Value"].string, "\(response.status) \(response.text)")
    }

    func authenticate(
        _ handle: String, user: String = "joe", password: String = "Welcome1", app: String = "DemoApp",
        more: String = "", at process: GatewayProcess? = nil
    ) throws -> Response {
        try post(
            Self.mobile + "/authenticate",
            Self.login("USERTOKEN", user: user, password: password, app: app, more: more), proof: "\(app):\(handle)",
            at: process)
    }

    func userToken(_ handle: String, user: String = "joe", app: String = "DemoApp", more: String = "") throws -> String
    {
        let password = ["joe": "Welcome1", "ann": "Welcome2", "bob": "Welcome3"][user] ?? ""
        let response = try authenticate(handle, user: user, password: password, app: app, more: more)
        return try #require(
            JSONText(response.text)["X-Idaas-Rest-Token-Value"].string, "\(response.status) \(response.text)")
    }

    /// The context of the challenge for a resource.
    func context(_ target: String = "/inventory/items", agent: String = "OIC-Agent") throws -> String {
        let response = try gateway.request("GET", target, [Field(name: "User-Agent", value: agent)])
        let challenge = try #require(response.only("WWW-Authenticate"))
        return String(try #require(challenge.firstMatch(of: /request-ctx="([^"]+)"/)).1)
    }

    static func access(_ token: String, _ context: String, _ resource: String, more: String = "") -> String {
        """
        {"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\(token)",
         "X-Idaas-Rest-Application-Context":"\(context)","X-Idaas-Rest-Application-Resource":"\(resource)",
         "X-Idaas-Rest-New-Token-Type-To-Create":"ACCESSTOKEN"\(more)}
        """
    }

    /// The whole way from a user token to a token for the resource.
    func accessToken(
        _ userToken: String, _ handle: String, target: String = "/inventory/items", app: String = "DemoApp"
    ) throws -> String {
        let response = try post(
            Self.mobile + "/access",
            Self.access(userToken, context(target), "http://gw.example.com\(target)"), proof: "\(app):\(handle)")
        return try #require(
            JSONText(response.text)["X-Idaas-Rest-Token-Value"].string, "\(response.status) \(response.text)")
    }

    func call(
        _ token: String, _ target: String = "/inventory/items", scheme: String = "OAM-Auth",
        at process: GatewayProcess? = nil
    ) throws -> Response {
        try (process ?? gateway.gateway).request(
            "GET", target, ["User-Agent: OIC-Agent", Field(name: "Authorization", value: "\(scheme) \(token)")])
    }
}
