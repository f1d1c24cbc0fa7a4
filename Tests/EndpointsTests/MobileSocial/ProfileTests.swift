import Bytes
import Endpoints
import Identity
import MobileSocial
import Model
import Testing

/// Application profiles (OMS-01, OMS-03, OMS-04, AGT-01, CRYPTO-02).
@Suite struct ProfileTests {
    private let query = "osType=iPhone%20OS&osVer=7.1&clientSDKVersion=11.1.2.3.0&serviceDomain="

    @Test("OMS-01: unknown names are 404, and names are case-sensitive")
    func unknown() {
        let mobile = Mobile()
        for (app, domain, status) in [
            ("DemoApp", "MobileServiceDomain", 200), ("DemoApp", "Default", 404),
            ("demoapp", "MobileServiceDomain", 404),
            ("DemoApp", "mobileservicedomain", 404), ("DemoApp", "", 404),
        ] {
            #expect(mobile.get("/oic_rest/rest/AppProfiles/\(app)", query: query + domain).status == status)
        }
        #expect(mobile.get("/oic_rest/rest/AppProfiles/DemoApp", domain: "MobileServiceDomain").status == 200)
    }

    @Test("OMS-03: only settings of the server are present, not those left to the application")
    func policy() throws {
        let mobile = Mobile {
            $0.applications[0].sessionTimeout = 0
            $0.applications[0].maximumLoginAttempts = 3
            $0.applications[0].offlineAuthentication = true
            $0.applications[0].customAttributes = [
                JSONMember(name: "CryptoScheme", node: JSONNode(.string("SaltedSHA-512")))
            ]
            $0.secondStep.code = true
        }
        let profile = mobile.get("/oic_rest/rest/AppProfiles/DemoApp", query: query + "MobileServiceDomain")
        let policy = try #require(profile.json?["securityPolicy"])
        #expect(policy["sessionTimeout"]?.integer == 0 && policy["idleTimeout"] == nil)
        #expect(policy["maxLoginAttempts"]?.integer == 3 && policy["offlineAuthentication"]?.bool == true)
        #expect(policy["kba"]?.bool == false && policy["otp"]?.bool == true)
        #expect(profile.json?["mobileCustomAttributes"]?["CryptoScheme"]?.string == "SaltedSHA-512")
        let endpoints = try #require(profile.json?["endpoints"])
        #expect(
            endpoints["authentication"]?.string
                == "https://gw.example.com/oic_rest/rest/MobileServiceDomain/authenticate")
        #expect(endpoints["authorization"]?.string?.hasSuffix("/access") == true)
        #expect(endpoints["userProfile"]?.string?.hasPrefix("https://gw.example.com/oic_rest/rest/userprofile") == true)
    }

    @Test("OMS-04: profiles are cached, and 304 while unchanged")
    func caching() throws {
        let mobile = Mobile { $0.applications[0].profileCacheSeconds = 60 }
        func get(_ fields: [(name: String, value: String)] = []) -> EndpointResponse {
            mobile.get(
                "/oic_rest/rest/AppProfiles/DemoApp", query: query + "MobileServiceDomain", fields: fields)
        }
        let first = get()
        #expect(first.values("Cache-Control") == ["private, max-age=60"])
        let tag = try #require(first.values("ETag").first)
        for known in [tag, "W/\(tag)", #""other" , \#(tag)"#, "*"] {
            let again = get([(name: "if-none-match", value: known)])
            #expect(again.status == 304 && again.body.isEmpty && again.values("ETag") == [tag], "\(known)")
        }
        #expect(get([(name: "if-none-match", value: #""other""#)]).status == 200)
    }

    @Test("AGT-01: a client's profile names its agent, the one with the lowest number")
    func agent() {
        let mobile = Mobile()
        let sso = mobile.get("/oic_rest/rest/AppProfiles/client", query: query + "Circle").json?["sso"]
        #expect(sso?["participate"]?.bool == true && sso?["agent"]?.string == "agent" && sso?["agentPriority"] == nil)
        let loner = mobile.get("/oic_rest/rest/AppProfiles/loner", query: query + "Circle").json?["sso"]
        #expect(loner?["participate"]?.bool == false && loner?["agent"] == nil)
    }
}
