import Bytes
import Endpoints
import HTTP
import Identity
import MobileSocial
import Model
import TestSupport
import Testing
import TokenStorage

/// Registration, login, access, validation and logout at the token service.
@Suite struct MobileSocialTests {
    @Test("OMS-07: handles, user tokens and access tokens are not interchangeable")
    func kindsApart() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        let access = try mobile.value(mobile.access(user, handle))
        #expect(handle.hasPrefix("crh.v1.") && user.hasPrefix("ut.v1."))
        for wrong in [handle, access, "ut.v1.unknown", "x"] {
            #expect(mobile.access(wrong, handle).status == 401, "\(wrong)")
        }
        for wrong in [user, access, "crh.v1.unknown"] {
            #expect(mobile.authenticate(wrong).status == 401, "\(wrong)")
        }
        // An access token is validated as what it is; a handle is none of the two.
        let target = Mobile.path + "/tokens/info"
        func info(_ token: String) -> EndpointResponse {
            mobile.get(
                target, query: "X-Idaas-Rest-Subject-Value=\(token)&X-Idaas-Rest-Subject-Type=TOKEN",
                domain: "MobileServiceDomain")
        }
        #expect(info(access).json?["X-Idaas-Rest-Token-Type"]?.string == "ACCESSTOKEN")
        #expect(info(user).json?["X-Idaas-Rest-Token-Type"]?.string == "USERTOKEN")
        #expect(info(handle).status == 401)
    }

    @Test("DEC-06: the access token is bound to webgate, level and session, and ends with the session")
    func bonds() throws {
        let mobile = Mobile { $0.applications[0].sessionTimeout = 600 }
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        let claims = try mobile.access(user, handle, at: 100).claims(at: Mobile.start + 100)
        #expect(claims.webgate == "InventoryWG" && claims.level == 2 && claims.subject == "joe")
        #expect(claims.session?.isEmpty == false && claims.idleSeconds == nil)
        #expect(claims.expiresAt == Mobile.start + 600)
        #expect(claims.roles == ["Manager"] && claims.backendID == "mbe-inv-1" && claims.methods == ["pwd"])
        #expect(claims.authenticatedAt == Mobile.start)
        #expect(mobile.access(user, handle, at: 600).status == 401, "OMS-08")
    }

    @Test("CACHE-09: two logins in a row yield the same token, with less remaining time")
    func sameToken() throws {
        let mobile = Mobile { $0.applications[0].sessionTimeout = 600 }
        let handle = try mobile.handle()
        let (first, second) = (mobile.authenticate(handle), mobile.authenticate(handle, at: 10))
        #expect(first.json?["userToken"]?.string == second.json?["userToken"]?.string)
        #expect(first.json?["expires_in"]?.integer == 600 && second.json?["expires_in"]?.integer == 590)
        let third = try mobile.value(mobile.authenticate(handle, at: 600))
        #expect(third != first.json?["userToken"]?.string)
        // Another device, another session.
        let other = try mobile.handle(device: #"{"hardwareIds":{"udid":"2"}}"#)
        #expect(try mobile.value(mobile.authenticate(other)) != first.json?["userToken"]?.string)
    }

    @Test("OMS-08: a shortened limit of the profile also ends sessions of earlier logins")
    func shortened() throws {
        let store = MemoryTokenStore()
        let before = Mobile(store: store)
        let handle = try before.handle()
        let user = try before.value(before.authenticate(handle))
        let after = Mobile(store: store) { $0.applications[0].sessionTimeout = 600 }
        #expect(after.access(user, handle, at: 599).status == 200)
        #expect(after.access(user, handle, at: 600).status == 401)
        let next = after.authenticate(handle, at: 600)
        #expect(try after.value(next) != user && next.json?["expires_in"]?.integer == 600)
    }

    @Test(
        "CHAL-06 CHAL-10: too low a level is 401 for existing clients, 403 with the level for others")
    func levelTooLow() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        let attested = mobile.access(user, handle, StubContexts.high)
        #expect(attested.status == 401 && attested.values("WWW-Authenticate") == [])
        let plain = mobile.post(
            "/oic_rest/rest/MobileServiceDomain/access",
            #"{"requestContext":"\#(StubContexts.high)","userToken":"\#(user)","appName":"DemoApp","registrationHandle":"\#(handle)"}"#,
            domain: nil)
        #expect(plain.status == 403 && plain.json?["required_level"]?.integer == 3)
    }

    @Test("oam-wire 8.3 (3, 4): invalid contexts and those of other resources or webgates are refused")
    func contexts() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        #expect(mobile.access(user, handle, "nonsense").status == 400)
        #expect(mobile.access(user, handle, "OtherWG:2:/inventory/items").status == 400)
        #expect(mobile.access(user, handle, "InventoryWG:2:/other").status == 400)
        func access(_ origin: String) -> EndpointResponse {
            let body = Mobile.accessBody(user, resource: "\(origin)/inventory/items?")
            return mobile.post(Mobile.path + "/access", body, proof: "DemoApp:\(handle)")
        }
        for origin in [
            "https://gw.example.com", "HTTPS://GW.Example.com:443", "http://gw.example.com:8080",
            "https://shop.api.example.com:9", "https://127.0.0.1:8443", "http://[::1]", "http://localhost:80", "",
        ] {
            #expect(access(origin).status == 200, "\(origin)")
        }
        for origin in [
            "https://evil.example.com", "http://gw.example.com", "https://gw.example.com:8080",
            "https://gw.example.com.evil.com", "https://api.example.com", "https://a.b.api.example.com",
        ] {
            let refused = access(origin)
            #expect(refused.status == 400 && refused.json?["code"]?.string == "oic_resource_foreign", "\(origin)")
        }
        #expect(access("https://gw.example.com@evil.com").json?["code"]?.string == "oic_resource_mismatch")
    }

    @Test("a mobile domain requires the calling application's own handle")
    func clientProofs() throws {
        let mobile = Mobile()
        let (handle, other) = (try mobile.handle(), try mobile.handle("OtherApp"))
        let login = Mobile.login("USERTOKEN")
        let target = Mobile.path + "/authenticate"
        #expect(mobile.post(target, login).status == 401)
        #expect(mobile.post(target, login, proof: "DemoApp:\(other)").status == 401)
        #expect(mobile.post(target, login, proof: "OtherApp:\(other)").status == 401, "clientId says DemoApp")
        #expect(mobile.post(target, login, proof: "Nobody:\(handle)").status == 401)
        #expect(mobile.post(target, login, proof: "DemoApp:\(handle)").status == 200)
        let two = [
            (name: "x-idaas-rest-authorization", value: Mobile.uidPassword("DemoApp:\(handle)")),
            (name: "x-idaas-rest-authorization", value: Mobile.uidPassword("DemoApp:\(handle)")),
        ]
        #expect(mobile.post(target, login, fields: two).status == 400)
        // A session is bound to the device that it was opened on.
        let user = try mobile.value(mobile.authenticate(handle))
        let second = try mobile.handle()
        #expect(mobile.access(user, second).status == 401)
    }

    @Test("unknown user and wrong password are answered alike, without a challenge")
    func uniformRefusals() throws {
        let mobile = Mobile { $0.applications[0].maximumLoginAttempts = 100 }
        let handle = try mobile.handle()
        let wrong = mobile.authenticate(handle, password: "wrong")
        for (user, password) in [("nobody", "Welcome1"), ("off", "Welcome4")] {
            let other = mobile.authenticate(handle, user: user, password: password)
            #expect(other.status == 401 && other.body == wrong.body)
            #expect(other.values("WWW-Authenticate") == [] && other.values("Cache-Control") == ["no-store"])
        }
        #expect(wrong.json?["message"]?.string == "Authentication failed")
        #expect(wrong.json?["oicErrorCode"]?.string == "IDAAS-62001")
        #expect(wrong.json?["remainingAttempts"]?.integer == 99)
    }

    @Test("OMS-10: after the last attempt the name is locked for all clients until the lockout ends")
    func lockout() throws {
        let mobile = Mobile { $0.applications[0].maximumLoginAttempts = 2 }
        let handle = try mobile.handle()
        for user in ["joe", "nobody"] {
            #expect(mobile.authenticate(handle, user: user, password: "no").status == 401)
            #expect(mobile.authenticate(handle, user: user, password: "no").status == 401)
            let locked = mobile.authenticate(handle, user: user)
            #expect(locked.status == 403 && locked.json?["code"]?.string == "login_attempts_exceeded")
        }
        #expect(mobile.authenticate(handle, user: "ann", password: "Welcome2").status == 200)
        #expect(mobile.authenticate(handle, at: 299).status == 403)
        #expect(mobile.authenticate(handle, at: 300).status == 200)
        // A success starts anew.
        #expect(mobile.authenticate(handle, password: "no", at: 301).status == 401)
        #expect(mobile.authenticate(handle, at: 302).status == 200)
        #expect(mobile.authenticate(handle, password: "no", at: 303).status == 401)
        #expect(mobile.authenticate(handle, at: 304).status == 200)
    }

    @Test("OMS-10 OMS-22: one attempt by default; the application may request more unless the server limits it")
    func askedAttempts() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        #expect(mobile.authenticate(handle, password: "no", more: #","maxLoginAttempts":2"#).status == 401)
        #expect(mobile.authenticate(handle, user: "ann", password: "no").status == 401)
        #expect(mobile.authenticate(handle).status == 200)
        #expect(mobile.authenticate(handle, user: "ann", password: "Welcome2").status == 403)
    }

    @Test("OMS-10: an application's requested attempts are limited, never beyond the server's")
    func boundedAttempts() throws {
        for (server, wish, allowed) in [(nil, 1_000_000, 10), (nil, 4, 4), (2, 1_000_000, 2)] as [(Int64?, Int, Int)] {
            let mobile = Mobile { $0.applications[0].maximumLoginAttempts = server }
            let handle = try mobile.handle()
            let more = #","maxLoginAttempts":\#(wish)"#
            let tries = (1...12).map { _ in mobile.authenticate(handle, password: "no", more: more).status }
            #expect(tries.count { $0 == 401 } == allowed, "\(tries)")
            #expect(tries.last == 403)
        }
    }

    @Test("OMS-15: devices denied by a rule get neither handle nor session")
    func deniedDevices() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let device = #"{"oracle:idm:claims:client:jailbroken":true}"#
        let refused = mobile.post(
            Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", device: device))
        #expect(refused.status == 403 && refused.json?["code"]?.string == "device_denied")
        let login = Mobile.login("USERTOKEN", device: device)
        #expect(mobile.post(Mobile.path + "/authenticate", login, proof: "DemoApp:\(handle)").status == 403)
    }

    @Test("registration needs a password, a user token or Basic")
    func registrations() throws {
        let mobile = Mobile { $0.applications[0].maximumLoginAttempts = 2 }
        let target = Mobile.path + "/register"
        let profile = #"{"appName":"DemoApp","deviceProfile":{"ostype":"x"}}"#
        #expect(mobile.post(target, profile).status == 400)
        let basic = mobile.post(target, profile, authorization: [basic("joe", "Welcome1")])
        #expect(basic.status == 201 && basic.json?["registrationHandle"]?.string?.isEmpty == false)
        #expect(mobile.post(target, Mobile.login("CLIENTREGHANDLE", password: "no")).status == 401)
        let user = try mobile.value(mobile.authenticate(try mobile.handle()))
        let body =
            #"{"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\#(user)","clientId":"DemoApp"}"#
        #expect(mobile.post(target, body).status == 200)
        #expect(mobile.post(target, body.replacing("DemoApp", with: "OtherApp")).status == 403)
        // OMS-10: it is no way round the limit.
        for _ in 0..<2 { _ = mobile.post(target, Mobile.login("CLIENTREGHANDLE", password: "no")) }
        let locked = mobile.post(target, Mobile.login("CLIENTREGHANDLE"))
        #expect(locked.status == 403 && locked.json?["code"]?.string == "login_attempts_exceeded")
    }

    @Test("services and domains are resolved by field or path; unknown ones are refused")
    func resolution() throws {
        let mobile = Mobile()
        let login = Mobile.login("USERTOKEN", app: nil)
        for (target, domain, status) in [
            ("/oic_rest/rest/oamauthentication/authenticate", "Default", 200),
            ("/oic_rest/rest/oamauthentication/authenticate", nil, 200),
            ("/oic_rest/rest/Default/authenticate", nil, 200), ("/oic_rest/rest/Default/authenticate", "Default", 200),
            ("/oic_rest/rest/oamauthentication/authenticate", "default", 404),
            ("/oic_rest/rest/mobileoamauthentication/authenticate", "Default", 404),
            ("/oic_rest/rest/mobileoamauthentication/authenticate", nil, 404),
            ("/oic_rest/rest/Default/authenticate", "Circle", 404),
            ("/oic_rest/rest/other/authenticate", nil, 404), ("/oic_rest/rest/Default/nothing", nil, 404),
        ] as [(String, String?, Int)] {
            #expect(mobile.post(target, login, domain: domain).status == status, "\(target) \(domain ?? "-")")
        }
    }

    @Test("names are case-sensitive, repeated members refused, and secrets in a query refused")
    func attributes() throws {
        let mobile = Mobile()
        let target = "/oic_rest/rest/oamauthentication/authenticate"
        func status(_ body: String) -> Int { mobile.post(target, body, domain: nil).status }
        #expect(status(#"{"username":"joe","password":"Welcome1"}"#) == 200)
        #expect(status(#"{"username":"joe","password":"Welcome1","password":"x"}"#) == 400)
        #expect(status(#"{"x-idaas-rest-subject-username":"joe","X-Idaas-Rest-Subject-Password":"Welcome1"}"#) == 400)
        #expect(status(#"{"username":"joe","password":1}"#) == 400)
        #expect(
            status(#"{"username":"joe","password":"Welcome1","X-Idaas-Rest-Subject-Type":"usercredential"}"#) == 400)
        #expect(status(#"["joe"]"#) == 400)
        #expect(status("") == 400)
        let both = mobile.post(
            target, #"{"X-Idaas-Rest-Subject-Username":"joe","X-Idaas-Rest-Subject-Password":"Welcome1"}"#, domain: nil,
            fields: [(name: "x-idaas-rest-subject-username", value: "ann")])
        #expect(both.status == 400)
        var request = EndpointRequest(
            method: .post, path: target, query: Array("X-Idaas-Rest-Subject-Password=x".utf8),
            contentType: "application/json", body: Array("{}".utf8))
        func answer() -> EndpointResponse { mobile.service.answer(request, .mobileSocial) }
        #expect(answer().status == 400)
        request.query = []
        request.contentType = "text/plain"
        #expect(answer().status == 415)
        request.method = .get
        #expect(answer().status == 405)
        #expect(answer().field("Allow") == "POST")
        // RFC 9110 section 15.5.6: every 405 names the methods that there are.
        for (path, methods) in [("AppProfiles/DemoApp", "GET, HEAD"), ("jwtservice/tokens/info", "GET, HEAD")] {
            let other = EndpointRequest(method: .delete, path: "/oic_rest/rest/\(path)")
            let answer = mobile.service.answer(other, .mobileSocial)
            #expect(answer.status == 405 && answer.field("Allow") == methods, "\(path)")
        }
        let old = [(name: "x-idaas-rest-version", value: "v2")]
        #expect(mobile.post(target, "{}", domain: nil, fields: old).status == 400)
    }

    @Test("oam-wire 3.2, 3.4: client and JWT user tokens are issued, and exchanged with device data")
    func nonMobileTokens() throws {
        let mobile = Mobile()
        let target = "/oic_rest/rest/jwtauthentication/authenticate"
        func post(_ body: String, proof: String? = nil) -> EndpointResponse {
            mobile.post(target, body, domain: "Default", proof: proof)
        }
        let client = try mobile.value(
            post(Mobile.login("CLIENTTOKEN", user: "inventory", password: "shared", app: nil)))
        #expect(post(Mobile.login("CLIENTTOKEN", user: "inventory", password: "no", app: nil)).status == 401)
        for secret in [client, "shared"] {
            #expect(post(Mobile.login("USERTOKEN", app: nil), proof: "inventory:\(secret)").status == 200)
        }
        #expect(post(Mobile.login("USERTOKEN", app: nil), proof: "inventory:no").status == 401)
        let device = #","X-Idaas-Rest-Subject-Credential":"device-1""#
        let jwt = try mobile.value(post(Mobile.login("USERTOKEN::JWTUT", app: nil, more: device)))
        #expect(jwt.split(separator: ".").count == 3)
        func exchange(_ device: String) -> EndpointResponse {
            post(
                #"{"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\#(jwt)","X-Idaas-Rest-New-Token-Type-To-Create":"USERTOKEN::OAMUT"\#(device)}"#
            )
        }
        let exchanged = exchange(device)
        let user = try mobile.value(exchanged)
        #expect(exchanged.json?["X-Idaas-Rest-Token-Type"]?.string == "USERTOKEN" && user.hasPrefix("ut.v1."))
        #expect(exchange("").status == 401)
        #expect(exchange(#","X-Idaas-Rest-Subject-Credential":"device-2""#).status == 401)
        #expect(post(Mobile.login("USERTOKEN::OTHER", app: nil)).status == 400)
        // The JWT is a user token like any other, and no access token. Ending it ends what came of it.
        let access = Mobile.accessBody(jwt)
        #expect(mobile.post("/oic_rest/rest/jwtauthentication/access", access, domain: "Default").status == 200)
        #expect(mobile.post("/oic_rest/rest/Default/logout", #"{"userToken":"\#(jwt)"}"#, domain: nil).status == 200)
        let child = Mobile.accessBody(user)
        #expect(mobile.post("/oic_rest/rest/jwtauthentication/access", child, domain: "Default").status == 401)
    }

    @Test("OMS-09: an idle session ends, and every use extends it")
    func idle() throws {
        let mobile = Mobile { $0.applications[0].idleTimeout = 60 }
        let handle = try mobile.handle()
        let user = try mobile.value(mobile.authenticate(handle))
        for seconds in [59, 118] as [Int64] { #expect(mobile.access(user, handle, at: seconds).status == 200) }
        #expect(mobile.access(user, handle, at: 178).status == 401)
        // A new login gets another session.
        #expect(try mobile.value(mobile.authenticate(handle, at: 179)) != user)
    }

    @Test("OMS-16: a wiped device gets the order, its sessions have ended, and no other device is affected")
    func wipe() throws {
        let mobile = Mobile()
        let device = #"{"hardwareIds":{"udid":"1"}}"#
        let (handle, second, other) = (
            try mobile.handle(device: device), try mobile.handle("OtherApp", device: device),
            try mobile.handle(device: #"{"hardwareIds":{"udid":"2"}}"#)
        )
        let user = try mobile.value(mobile.authenticate(handle))
        let others = try mobile.value(mobile.authenticate(other))
        let register = DeviceRegister(store: mobile.store)
        let list = try register.list(subject: "joe", limit: 10, now: Mobile.start).settled().get()
        let entries = try #require(try JSONNode.parse(list.span).array)
        #expect(entries.count == 3)
        #expect(!String(decoding: list, as: UTF8.self).contains("crh.v1."))
        let entry = entries.first { $0["application"]?.string == "OtherApp" }
        let id = try #require(entry?["id"]?.string)
        #expect(register.wipe(id, domains: [], now: Mobile.start).settled() == .failure(.notWipeable))
        #expect(register.wipe("x", domains: [], now: Mobile.start).settled() == .failure(.unknownDevice))
        let wiped = register.wipe(id, domains: ["MobileServiceDomain"], now: Mobile.start).settled()
        #expect(wiped == .success(2))
        for (app, handle) in [("DemoApp", handle), ("OtherApp", second)] {
            let told = mobile.post(
                Mobile.path + "/authenticate", Mobile.login("USERTOKEN", app: app), proof: "\(app):\(handle)")
            #expect(told.status == 403 && told.json?["code"]?.string == "device_wipe")
            #expect(told.json?["action"]?.string == "wipe")
        }
        #expect(mobile.access(user, handle).status == 403)
        #expect(mobile.access(others, other).status == 200)
    }
}
