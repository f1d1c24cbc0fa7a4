import Foundation
import Model
import Testing

/// The fixture with routes of a form scheme, and a browser's ways.
enum BrowserFixture {
    /// The TOTP secret of joe.
    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    static let domains = """
        {"MobileServiceDomain": {"authentication": {"type": "local", "level": 2, "otp": true, "stepUpOnly": true},
          "applications": {"DemoApp": {"backend": "inventory/1.0", "displayName": "the demo", "maxLoginAttempts": 5}}}}
        """

    static func prepare(_ settings: inout FixtureSettings) {
        settings["serviceDomains"] = domains
        settings["authenticationSchemes"] = """
            [{"name": "FormScheme", "authenticationLevel": 2, "challengeMethod": "FORM",
              "challengeUrl": "/mobilesso?serviceDomain=MobileServiceDomain"},
             {"name": "StrongScheme", "authenticationLevel": 3, "challengeMethod": "FORM",
              "challengeUrl": "/mobilesso?serviceDomain=MobileServiceDomain"}]
            """
        settings["webgates"] = """
            [{"name": "MobileWG", "authenticationScheme": "FormScheme",
              "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}, "userAgentMismatch": "redirect"},
             {"name": "StrongWG", "authenticationScheme": "StrongScheme",
              "userDefinedParameters": {"User-Agent": "OAMMS-Agent"}}]
            """
        settings["routes"] = FixtureSettings.list([
            #"{"path": "/mobileapp", "upstream": "stub", "webgate": "MobileWG", "backends": ["inventory/1.0"]}"#,
            #"{"path": "/other", "upstream": "stub", "webgate": "MobileWG"}"#,
            #"{"path": "/strong", "upstream": "stub", "webgate": "StrongWG"}"#,
            #"{"path": "/plain", "upstream": "stub"}"#, #"{"path": "/open", "upstream": "stub", "public": true}"#,
        ])
        settings["users"] = """
            [{"username": "joe", "password": "{PlainText}Welcome1", "roles": ["Manager"], "otpSecret": "\(secret)"},
             {"username": "ann", "password": "{PlainText}Welcome2", "roles": ["Clerk"]}]
            """
        settings["passwords"] = #"{"throttle": {"failuresPerUser": 1000, "failuresPerAddress": 1000}}"#
        settings["policies"] = #"{"Security_AllowOrigin": "https://myexample.com"}"#
        settings["cors"] = #"{"allowCredentials": true}"#
    }

    static let navigation: [Field] = ["Accept: text/html,*/*;q=0.8", "User-Agent: Mozilla/5.0"]
}

/// Cookies as a browser keeps them, and forms as it sends them.
final class CookieJar {
    private(set) var cookies: [(name: String, value: String)] = []
    let process: GatewayProcess

    init(_ process: GatewayProcess) { self.process = process }

    subscript(_ name: String) -> String? {
        get { cookies.first { $0.name == name }?.value }
        set {
            cookies.removeAll { $0.name == name }
            if let newValue { cookies.append((name, newValue)) }
        }
    }

    var field: [Field] {
        cookies.isEmpty
            ? [] : [Field(name: "Cookie", value: cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))]
    }

    @discardableResult
    func send(
        _ method: String = "GET", _ target: String, _ fields: [Field] = BrowserFixture.navigation, body: String? = nil
    ) throws -> Response {
        let response = try process.request(method, target, fields + field, body: body)
        for value in response.head.values("Set-Cookie") {
            let pair = value.split(separator: ";")[0].split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self[String(pair[0])] = value.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return response
    }

    /// The login at a target, from the way to the form to the answer of the form.
    @discardableResult
    func logIn(_ target: String = "/mobileapp", user: String = "joe", password: String = "Welcome1") throws -> Response
    {
        let sent = try send("GET", target)
        let form = try #require(sent.only("Location"), "\(sent.status)")
        return try fill(send("GET", form), form, "username=\(user)&password=\(password)")
    }

    func fill(_ page: Response, _ target: String, _ typed: String, _ more: [Field] = []) throws -> Response {
        let hidden = page.text.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map { "\($0.1)=\($0.2)&" }
        return try send(
            "POST", target,
            BrowserFixture.navigation + ["Content-Type: application/x-www-form-urlencoded"] + more,
            body: hidden.joined() + typed)
    }
}
