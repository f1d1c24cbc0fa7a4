import Foundation
import Testing

/// User profiles by the user token of a login at Access Manager.
@Suite struct UserTokenTests {
    private static let path = "/oic_rest/rest/userprofile"

    private static func fixture(_ isEnabled: Bool = true) throws -> MobileFixture {
        try MobileFixture {
            $0["userProfile"] = #"{"enabled": \#(isEnabled)}"#
            $0["roles"] =
                #"["Manager", "Clerk", "Auditor", "Guest", "Employee", "userProfile.read", "userProfile.write"]"#
        }
    }

    private static func fields(_ token: String) -> [Field] {
        ["X-Idaas-Rest-Subject-Type: TOKEN", Field(name: "X-Idaas-Rest-Subject-Value", value: token)]
    }

    @Test("a user reads the own profile by the user token, and nothing more without the role")
    func own() throws {
        let mobile = try Self.fixture()
        let gateway = mobile.gateway
        let token = try mobile.userToken(mobile.handle())
        let own = try gateway.request("GET", Self.path + "/people/joe", Self.fields(token))
        #expect(own.status == 200 && JSONText(own.text)["id"].string == "joe", "\(own.status) \(own.text)")
        #expect(
            try gateway.request("GET", Self.path + "/people/joe", Array(Self.fields(token).dropFirst())).status == 200)
        #expect(try gateway.request("GET", Self.path + "/people/ann", Self.fields(token)).status == 403)
        #expect(try gateway.request("DELETE", Self.path + "/people/joe", Self.fields(token)).status == 403)
        // A role that the user gets counts for the session at once.
        _ = try gateway.reload {
            $0["userProfile"] = #"{"enabled": true}"#
            $0["roles"] =
                #"["Manager", "Clerk", "Auditor", "Guest", "Employee", "userProfile.read", "userProfile.write"]"#
            $0["serviceDomains"] = MobileFixture.domains()
            $0["users"] = FixtureSettings.users(joe: #"["Manager", "userProfile.read"]"#)
        }
        #expect(try gateway.request("GET", Self.path + "/people/ann", Self.fields(token)).status == 200)
    }

    @Test("other tokens, and a second credential, are refused, and no route takes a user token")
    func refused() throws {
        let mobile = try Self.fixture()
        let (gateway, handle) = (mobile.gateway, try mobile.handle())
        let token = try mobile.userToken(handle)
        let bearer = try gateway.token("joe")
        for fields in [
            Self.fields("wrong"), Self.fields(""), Self.fields(handle), Self.fields(bearer),
            Self.fields(token) + [Self.fields(token)[1]], Self.fields(token) + [.bearer(bearer)],
            Self.fields(token) + [.bearer("wrong")],
            ["X-Idaas-Rest-Subject-Type: USERCREDENTIAL", Self.fields(token)[1]], [.bearer(token)],
        ] as [[Field]] {
            let response = try gateway.request("GET", Self.path + "/people/joe", fields)
            #expect(response.status == 401, "\(fields) \(response.status) \(response.text)")
        }
        #expect(try gateway.request("GET", Self.path + "/people/joe", [.bearer(bearer)]).status == 200)
        #expect(try gateway.request("GET", "/plain", Self.fields(token)).status == 401)
        #expect(try gateway.request("GET", "/mobile/platform/users/~", Self.fields(token)).status == 401)
        let foreign = Self.fields(token) + [Field.origin("https://evil.example.net")]
        #expect(try gateway.request("GET", Self.path + "/people/joe", foreign).status == 403)
    }

    @Test("the application profile names the service where it is on", arguments: [true, false])
    func profile(_ isEnabled: Bool) throws {
        let mobile = try Self.fixture(isEnabled)
        let target = "/oic_rest/rest/AppProfiles/DemoApp?serviceDomain=\(MobileFixture.domain)"
        let profile = JSONText(try mobile.gateway.request("GET", target).text)
        #expect(profile["endpoints"]["authentication"].exists)
        #expect(profile["endpoints"]["userProfile"].exists == isEnabled)
    }
}
