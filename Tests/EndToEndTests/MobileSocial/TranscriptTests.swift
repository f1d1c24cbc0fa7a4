import Testing

/// The transcript of oam-wire 8.1 against the real binary, with every store that is built in.
@Suite struct TranscriptTests {
    private static let device = #"{"oracle:idm:claims:client:ostype":"iPhone OS","hardwareIds":{}}"#

    @Test(
        "register, authenticate, challenge, access, call, step-up, validate and log out work in order",
        arguments: ["memory", "sqlite"])
    func transcript(_ store: String) throws {
        let fixture = try MobileFixture { $0["store"] = #"{"kind": "\#(store)"}"# }
        let profile = try fixture.gateway.request(
            "GET",
            "/oic_rest/rest/AppProfiles/DemoApp?osType=iPhone%20OS&osVer=7.1&clientSDKVersion=11.1.2.3.0"
                + "&serviceDomain=MobileServiceDomain")
        #expect(profile.status == 200)
        let json = JSONText(profile.text)
        #expect(json["applicationName"].string == "DemoApp" && json["serviceDomain"].string == MobileFixture.domain)
        #expect(json["registrationService"].string == MobileFixture.mobile + "/register")
        #expect(json["mobileAppConfig"]["claimAttributes"].strings == ["oracle:idm:claims:client:ostype"])

        let registered = try fixture.post(
            try #require(json["registrationService"].string),
            MobileFixture.login("CLIENTREGHANDLE", device: Self.device))
        let handle = try value(registered, "CLIENTREGHANDLE", user: nil)
        let proof = "DemoApp:\(handle)"
        let loggedIn = try fixture.post(
            try #require(json["userAuthService"].string), MobileFixture.login("USERTOKEN", device: Self.device),
            proof: proof)
        let userToken = try value(loggedIn, "USERTOKEN")
        let wrong = try fixture.authenticate(handle, password: "wrong")
        #expect(wrong.status == 401 && wrong.only("WWW-Authenticate") == nil)
        #expect(JSONText(wrong.text)["message"].string == "Authentication failed")
        #expect(JSONText(wrong.text)["oicErrorCode"].string == "IDAAS-62001")

        let context = try fixture.context()
        let access = try fixture.post(
            try #require(json["accessService"].string),
            MobileFixture.access(userToken, context, "http://gw.example.com/inventory/items"), proof: proof)
        let token = try value(access, "ACCESSTOKEN")
        #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        #expect(try fixture.call(token).status == 200)
        #expect(try fixture.call(token, scheme: "bearer").status == 200)

        // A resource of level 3: the same challenge, with a higher level in it.
        let high = try fixture.call(token, "/payroll")
        #expect(high.head.startLine == "HTTP/1.1 401 Authorization Required")
        #expect(high.only("WWW-Authenticate")?.hasPrefix(#"OAM-Auth realm="HighWG:3 /payroll""#) == true)

        let target = try #require(json["validateService"].string)
        #expect(try value(info(fixture, target, userToken), "USERTOKEN") == userToken)
        let logout = try fixture.gateway.request(
            "GET", "/oam/server/logout", [Field(name: "Authorization", value: "OAM-Auth \(token)")])
        #expect(logout.status == 200 && logout.body.isEmpty && logout.only("Content-Length") == "0")
        #expect(try fixture.call(token).status == 401)
        let gone = try info(fixture, target, userToken)
        #expect(gone.status == 401)
        #expect(JSONText(gone.text)["message"].string == "Token validation failed")
        #expect(JSONText(gone.text)["oicErrorCode"].string == "IDAAS-62001")
    }

    @Test("a second gateway on the same store accepts the token, and sees the logout within a second")
    func secondProcess() throws {
        let fixture = try MobileFixture(application: #", "idleTimeout": 600"#)
        let second = try GatewayProcess(fixture.gateway.gateway.configuration)
        let handle = try fixture.handle()
        let userToken = try fixture.userToken(handle)
        let token = try fixture.accessToken(userToken, handle)
        #expect(try fixture.call(token, at: second).status == 200)
        // CACHE-09 across processes: the store gives the same token.
        let again = try fixture.authenticate(handle, at: second)
        #expect(JSONText(again.text)["userToken"].string == userToken)
        let logout = try fixture.post(
            "/oic_rest/rest/MobileServiceDomain/logout", #"{"userToken":"\#(userToken)"}"#, domain: nil, at: second)
        let ended = ContinuousClock.now
        #expect(logout.status == 200)
        #expect(try fixture.call(token, at: second).status == 401, "here at once")
        while try fixture.call(token).status != 401, ContinuousClock.now - ended < .seconds(20) {}
        #expect(ContinuousClock.now - ended < .seconds(1))
        try second.stop()
    }

    private func info(_ fixture: MobileFixture, _ target: String, _ token: String) throws -> Response {
        try fixture.gateway.request(
            "GET", "\(target)?X-Idaas-Rest-Subject-Value=\(token)&X-Idaas-Rest-Subject-Type=TOKEN",
            ["X-IDAAS-SERVICEDOMAIN: MobileServiceDomain"])
    }

    /// The token of a reply that is as the transcript has it.
    private func value(_ response: Response, _ type: String, user: String? = "joe") throws -> String {
        let json = JSONText(response.text)
        #expect(response.status == 200)
        #expect(response.only("Content-Type") == "application/json")
        #expect(response.only("Cache-Control") == "no-store")
        #expect(json["X-Idaas-Rest-Token-Type"].string == type)
        #expect(json["X-Idaas-Rest-Provider-Type"].string == (user == nil ? nil : "OAM_11G"))
        #expect(json["X-Idaas-Rest-User-Principal"].string == user)
        return try #require(json["X-Idaas-Rest-Token-Value"].string, "\(response.status) \(response.text)")
    }
}
