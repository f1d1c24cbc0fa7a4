import Foundation
import Testing

/// The fixture with two ApiOmat applications, their routes, and a stub in the place of Facebook.
final class AppFixture: Sendable {
    static let key = "1234567890123456789"
    static let otherKey = "9876543210987654321"
    static let administrator = Field.basic("admin@example.com:adminpw")
    static let userPath = "/yambas/rest/apps/testApp/models/Basics/User"

    let gateway: Fixture
    let facebook: StubUpstream

    /// - Parameters:
    ///   - application: further members of `testApp`.
    ///   - files: further files of the configuration directory.
    init(
        application: String = "", files: [String: String] = [:], _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        let facebook = try StubUpstream()
        self.facebook = facebook
        gateway = try Fixture(files: files) { settings in
            Self.put(into: &settings, application: application, facebook: facebook.url)
            change(&settings)
        }
        answerAsFacebook()
    }

    deinit { facebook.stop() }

    static func put(into settings: inout FixtureSettings, application: String = "", facebook: String) {
        let login =
            #"{"enabled": true, "appId": "42", "appSecret": "fb-secret", "verifyUrl": "\#(facebook)/debug_token"}"#
        settings["applications"] = """
            [
              {"name": "testApp", "apiKey": "\(key)", "writers": ["writer"], "facebook": \(login),
               "admin": {"mail": "admin@example.com", "password": "{PlainText}adminpw"}\(application)},
              {"name": "otherApp", "apiKey": "\(otherKey)"}
            ]
            """
        let users = settings["users"] ?? "[]"
        settings["users"] =
            users.trimmingCharacters(in: .whitespacesAndNewlines).dropLast() + """
                , {"username": "testUser", "password": "{PlainText}secret", "roles": ["Clerk"]},
                {"username": "writer", "password": "{PlainText}writing"}]
                """
        let backends = settings["backends"] ?? "[]"
        settings["backends"] =
            backends.trimmingCharacters(in: .whitespacesAndNewlines).dropLast() + """
                , {"name": "social", "version": "1.0", "mobileBackendId": "mbe-social", "anonymousKey": "c29jaWFsOmtleQ==",
                   "clientId": "social-client", "clientSecret": "social-secret", "facebook": \(login)}]
                """
        settings.addRoutes(
            #"{"path": "/notes/**", "upstream": "stub", "application": "testApp"}"#,
            #"{"path": "/managers", "upstream": "stub", "application": "testApp", "roles": ["Manager"]}"#,
            #"{"path": "/clerks", "upstream": "stub", "application": "testApp", "injection": {"issuer": "local"}}"#,
            #"{"path": "/gate", "upstream": "stub", "application": "testApp", "webgate": "InventoryWG"}"#,
            #"{"path": "/others", "upstream": "stub", "application": "otherApp"}"#,
            #"{"path": "/social/feed", "upstream": "stub", "backends": ["social/1.0"], "socialLogin": true}"#,
            #"{"path": "/social/open", "upstream": "stub", "backends": ["social/1.0"], "loginRequired": false}"#,
            #"{"path": "/social/login", "upstream": "stub", "backends": ["social/1.0"]}"#,
            #"{"path": "/social/roles", "upstream": "stub", "socialLogin": true, "roles": ["Manager"]}"#)
        // Many requests of one user at a time are what some tests are about.
        settings["limits"] = #"{"passwordChecksPerAddress": 0}"#
        settings["passwords"] = #"{"throttle": {"failuresPerUser": 1000, "failuresPerAddress": 1000}}"#
    }

    // MARK: Tokens

    static func form(_ more: String = "") -> String {
        "grant_type=aom_user&client_id=testApp&client_secret=\(key)&scope=read%20write&username=testUser&app=testApp"
            + "&password=secret&system=LIVE" + (more.isEmpty ? "" : "&\(more)")
    }

    func post(_ form: String) throws -> Response {
        try gateway.request(
            "POST", "/yambas/oauth/token", ["Content-Type: application/x-www-form-urlencoded"], body: form)
    }

    func wish(_ more: String = "") throws -> TokenMap {
        let form =
            more.contains("scope=") ? Self.form(more).replacing("&scope=read%20write", with: "") : Self.form(more)
        return try TokenMap(post(form))
    }

    func refresh(_ token: String, app: String = "testApp", key: String = AppFixture.key) throws -> Response {
        try post("grant_type=refresh_token&client_id=\(app)&client_secret=\(key)&refresh_token=\(token)")
    }

    // MARK: Calls

    func call(
        _ token: String, _ method: String = "GET", _ target: String = "/notes/1", key: String? = AppFixture.key,
        body: String? = nil
    ) throws -> Response {
        let fields = [.bearer(token)] + (key.map { [Field(name: "X-apiomat-apikey", value: $0)] } ?? [])
        return try gateway.request(method, target, fields, body: body)
    }

    func status(_ token: String, _ method: String = "GET") throws -> Int {
        try call(token, method, body: method == "POST" ? "{}" : nil).status
    }

    func revoke(_ token: String, everything: Bool = false, method: String = "POST") throws -> Response {
        try call(token, method, "/yambas/oauth/users/\(everything ? "revokeall" : "revoke")")
    }

    func object(
        _ method: String, _ who: Field?, _ body: String? = nil, at target: String = AppFixture.userPath + "/testUser",
        key: String? = AppFixture.key
    ) throws -> Response {
        var fields: [Field] = ["Content-Type: application/json"]
        if let who { fields.append(who) }
        if let key { fields.append(Field(name: "X-Apiomat-Apikey", value: key)) }
        return try gateway.request(method, target, fields, body: body)
    }

    /// Waits until a token is refused: it has ended, and the clock says so.
    func waitForEnd(of token: String) throws -> Response {
        let deadline = Deadline.usual
        while !deadline.isPast {
            let response = try call(token)
            if response.status == 401 { return response }
        }
        throw NoEnd()
    }

    struct NoEnd: Error {}

    // MARK: Facebook

    /// Tokens that begin with `good` are of a person, for our app; those that begin with `other` for another.
    private func answerAsFacebook() {
        facebook.on("/debug_token") { request in
            if request.target.contains("input_token=down") { return [.reply("500 Internal Server Error")] }
            let isGood = request.target.contains("input_token=good")
            let app = request.target.contains("input_token=other") ? "43" : "42"
            let isValid = isGood || app == "43"
            return [
                .reply(
                    body:
                        #"{"data":{"app_id":"\#(app)","type":"USER","is_valid":\#(isValid),"user_id":"1001","expires_at":0}}"#
                )
            ]
        }
    }

    static func socialFields(
        _ token: String? = "good", provider: String? = "facebook", authorization: String = "Basic c29jaWFsOmtleQ=="
    ) -> [Field] {
        var fields = [Field(name: "Authorization", value: authorization), "Oracle-Mobile-Backend-ID: mbe-social"]
        if let provider { fields.append(Field(name: "Oracle-Mobile-Social-Identity-Provider", value: provider)) }
        if let token { fields.append(Field(name: "Oracle-Mobile-Social-Access-Token", value: token)) }
        return fields
    }
}

/// The reply of the token endpoint.
struct TokenMap: Sendable {
    let response: Response
    let access: String
    let refresh: String
    let expiresIn: Int
    let scope: String

    init(_ response: Response) throws {
        self.response = response
        let json = JSONText(response.text)
        access = try #require(json["access_token"].string, "\(response.status) \(response.text)")
        refresh = try #require(json["refresh_token"].string)
        expiresIn = try #require(json["expires_in"].integer)
        scope = try #require(json["scope"].string)
    }
}
