import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Testing
import TokenStorage

/// Revocation, manual tokens, passwords and sign-up (AOM-16 to AOM-26).
@Suite struct UserObjectTests {
    let apps = Apps()

    static func body(_ members: String, type: String = "Basics$User") -> String { #"{"@type":"\#(type)",\#(members)}"# }
    static let manual = body(#""sessionToken":"manual-token-1""#)

    // MARK: Revocation

    @Test("AOM-21: both methods revoke, answer an empty object and free the slot", arguments: [HTTP.Method.get, .post])
    func revokesItself(_ method: HTTP.Method) {
        let map = apps.post(Apps.wish("scope=read_only"))
        let other = apps.post(Apps.wish("extra=other"))
        let response = apps.revoke(map.access, method: method)
        #expect(response.status == 200)
        #expect(response.body == Array("{}".utf8))
        #expect(apps.present(map.access).failure == .unknown)
        #expect(apps.post(Apps.refreshing(map.renewal)).status == 400)
        #expect(throws: Never.self) { try apps.present(other.access).get() }
        #expect(apps.post(Apps.wish()).access != map.access)
    }

    @Test("AOM-16, AOM-21: unauthorised revocations are refused")
    func revocationRefusals() {
        let map = apps.post(Apps.wish("access_expiration=60"))
        #expect(apps.revoke(nil).status == 401)
        let unknown = apps.revoke("0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(unknown.status == 401)
        #expect(unknown.values("WWW-Authenticate") == [#"Bearer realm="portcullis", error="invalid_token""#])
        #expect(apps.revoke(map.access, key: nil).status == 401)
        #expect(apps.revoke(map.access, key: Apps.other).status == 403)
        #expect(apps.revoke(map.access, key: "wrong").status == 403)
        #expect(apps.revoke(map.renewal).status == 401)
        #expect(apps.revoke(map.access, method: .delete).status == 405)
        #expect(throws: Never.self) { try apps.present(map.access).get() }
        #expect(apps.revoke(map.access, at: 60).status == 401)
    }

    @Test("AOM-22, AOM-24: all tokens of the user are revoked, manual ones included, without a lockout")
    func revokesEverything() {
        let map = apps.post(Apps.wish())
        let phone = apps.post(Apps.wish("extra=phone"))
        let foreign = apps.post(
            Apps.wish().replacing("testApp", with: "otherApp").replacing(Apps.key, with: Apps.other))
        let neighbour = apps.post(Apps.wish(user: "plain", password: "plainpw"))
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator).status == 200)
        let readOnly = apps.post(Apps.wish("extra=r&scope=read_only"))
        #expect(apps.revoke(readOnly.access, everything: true).status == 403)
        #expect(apps.revoke("manual-token-1", everything: true).status == 403)
        let response = apps.revoke(map.access, everything: true)
        #expect(response.status == 200)
        for token in [map.access, phone.access, readOnly.access, "manual-token-1"] {
            #expect(apps.present(token).failure == .unknown)
        }
        #expect(throws: Never.self) { try apps.present(foreign.access).get() }
        #expect(throws: Never.self) { try apps.present(neighbour.access).get() }
        #expect(apps.post(Apps.wish()).status == 200)
    }

    @Test("every removal of a valid token is in the deny list")
    func revocationIsTold() throws {
        let map = apps.post(Apps.wish())
        let id = try apps.present(map.access).get().tokenID
        _ = apps.revoke(map.access)
        guard case .changes(let changes, _)? = apps.perform(.changes(after: 0, limit: 10)) else {
            Issue.record("no changes")
            return
        }
        #expect(changes.map(\.entry.name) == [id])
    }

    // MARK: Manual tokens

    @Test(
        "AOM-18, AOM-19: administrator and writers set read-only tokens of the usual lifetime",
        arguments: [Apps.administrator, basic("ADMIN@example.com", "adminpw"), basic("writer", "writing")])
    func manualToken(_ authorization: String) throws {
        #expect(apps.object(.put, Apps.user, Self.manual, authorization).status == 200)
        let principal = try apps.present("manual-token-1").get()
        #expect(principal.isReadOnly)
        #expect(principal.subject == Apps.user)
        #expect(principal.expiresAt == Apps.start + 604_800)
        #expect(apps.present("manual-token-1", at: 604_800).failure == .expired)
    }

    @Test("AOM-18: setting it again replaces it; another user's value is a conflict")
    func manualTokenIsReplaced() throws {
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator).status == 200)
        let first = try apps.present("manual-token-1").get().tokenID
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator, at: 10).status == 200)
        let again = try apps.present("manual-token-1", at: 10).get()
        #expect(again.tokenID != first, "the deny list names the earlier one")
        #expect(apps.object(.put, "plain", Self.manual, Apps.administrator, at: 10).status == 409)
        let fresh = Self.body(#""sessionToken":"manual-token-2""#)
        #expect(apps.object(.put, Apps.user, fresh, Apps.administrator, at: 11).status == 200)
        #expect(apps.present("manual-token-1", at: 11).failure == .unknown)
        #expect(apps.object(.put, "plain", Self.manual, Apps.administrator, at: 12).status == 200)
    }

    @Test(
        "AOM-18: unauthorised changes and invalid bodies are refused",
        arguments: [
            (basic("plain", "plainpw"), manual, 403), (basic("testUser", "secret"), manual, 403),
            (basic("admin@example.com", "wrong"), manual, 401), (basic("nobody", "x"), manual, 401),
            (Apps.administrator, "", 400), (Apps.administrator, "[]", 400),
            (Apps.administrator, #"{"sessionToken":"manual-token-1"}"#, 400),
            (Apps.administrator, body(#""sessionToken":"manual-token-1""#, type: "Basics$Other"), 400),
            (Apps.administrator, body(#""sessionToken":"short6""#), 400),
            // The least (Y12).
            (Apps.administrator, body(#""sessionToken":"manual1""#), 200),
            (Apps.administrator, body(#""sessionToken":"with blank""#), 400),
            (Apps.administrator, body(#""sessionToken":"über-token""#), 400),
            (Apps.administrator, body(#""sessionToken":7"#), 400),
            (Apps.administrator, body("\"sessionToken\":\"\(String(repeating: "x", count: 257))\""), 400),
            (Apps.administrator, body(#""sesionToken":"manual-token-1""#), 400),
            (Apps.administrator, body(#""scope":"read write""#), 400),
            (Apps.administrator, body(#""userName":"somebodyElse""#), 400),
            (Apps.administrator, body(#""id":"testUser","email":"test@example.com","firstName":null"#), 200),
        ])
    func changes(_ authorization: String, _ body: String, _ status: Int) {
        #expect(apps.object(.put, Apps.user, body, authorization).status == status)
        #expect(apps.present("manual-token-1").failure == .unknown)
    }

    @Test("AOM-16, AOM-18: key, path and content type are checked")
    func aroundTheObject() {
        let put = { (path: String) in self.apps.object(.put, nil, Self.manual, Apps.administrator, path: path).status }
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator, key: nil).status == 401)
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator, key: Apps.other).status == 403)
        #expect(apps.object(.put, Apps.user, Self.manual, nil).status == 401)
        #expect(apps.object(.put, "nobody", Self.manual, Apps.administrator).status == 404)
        #expect(apps.object(.put, "stranger", Self.manual, Apps.administrator).status == 404)
        #expect(put("/yambas/rest/apps/noApp/models/Basics/User/testUser") == 404)
        #expect(put("/yambas/rest/apps/testApp/models/Other/User/testUser") == 404)
        #expect(put("/yambas/rest/apps/testApp/models/Basics/Role/testUser") == 404)
        #expect(put("/yambas/rest/apps/testApp/objects/Basics/User/testUser") == 404)
        #expect(put("/yambas/rest/apps/testApp/models/Basics/User/testUser/x") == 404)
        #expect(put("/yambas/rest/apps/testApp/models/Basics/User/") == 404)
        #expect(put("/yambas/rest/apps/testApp/models/Basics/User/testUser") == 200)
        #expect(put("/yambas/rest/apps/testApp/models/Basics/User/jo%2F%C3%A9") == 409)
        #expect(apps.object(.put, Apps.user, Self.manual, Apps.administrator, contentType: "text/plain").status == 415)
        #expect(apps.object(.delete, Apps.user, "", Apps.administrator).status == 405)
    }

    @Test("AOM-20: no secrets are returned; users see themselves, administrator and writers all users")
    func reading() throws {
        _ = apps.object(.put, Apps.user, Self.manual, Apps.administrator)
        let token = apps.post(Apps.wish("scope=read_only")).access
        for who in [Apps.administrator, basic("writer", "writing"), basic("testUser", "secret"), "Bearer \(token)"] {
            let response = apps.object(.get, Apps.user, "", who)
            #expect(response.status == 200)
            let json = try #require(response.json)
            #expect(json["@type"]?.string == "Basics$User")
            #expect(json["userName"]?.string == Apps.user)
            #expect(json["email"]?.string == "test@example.com")
            #expect(json["sessionToken"]?.value == .null)
            #expect(json["password"]?.value == .null)
            #expect(!String(decoding: response.body, as: UTF8.self).contains("manual-token-1"))
        }
        #expect(apps.object(.get, "plain", "", "Bearer \(token)").status == 403)
        #expect(apps.object(.get, "plain", "", basic("testUser", "secret")).status == 403)
        #expect(apps.object(.get, Apps.user, "", "Bearer 0f8fad5b-d9cb-469f-a165-70867728950e").status == 401)
    }

    // MARK: Passwords

    @Test("AOM-17: administrator, writers and the user's own password change it, never a token")
    func passwords() throws {
        let change = Self.body(#""password":"another one""#)
        let token = apps.post(Apps.wish()).access
        let writers = apps.post(Apps.wish(user: "writer", password: "writing")).access
        #expect(apps.object(.put, Apps.user, change, "Bearer \(token)").status == 403)
        #expect(apps.object(.put, Apps.user, change, "Bearer \(writers)").status == 403)
        #expect(apps.object(.put, Apps.user, change, basic("plain", "plainpw")).status == 403)
        #expect(apps.registry.asked.isEmpty)
        #expect(apps.object(.put, Apps.user, change, basic("testUser", "secret")).status == 200)
        #expect(apps.registry.askedFrom == ChangeOrigin(requestID: "r-1", application: "testApp", caller: "testUser"))
        #expect(apps.object(.put, Apps.user, change, Apps.administrator).status == 200)
        #expect(apps.registry.askedFrom.caller == "administrator")
        #expect(apps.registry.asked.count == 2)
        guard case .setPassword(Apps.user, "Default", let hash)? = apps.registry.asked.first else {
            Issue.record("no password was set")
            return
        }
        #expect(hash.hasPrefix("{scrypt}"))
        apps.registry.answers(.failed)
        #expect(apps.object(.put, Apps.user, change, Apps.administrator).status == 503)
    }

    // MARK: Sign-up

    @Test("AOM-26: sign-up is off by default, and refuses existing names")
    func signUp() {
        let wish = #"{"@type":"Basics$User","userName":"new one","password":"fresh"}"#
        #expect(apps.object(.post, nil, wish, nil).status == 403)
        let open = Apps { $0.allowSignUp = true }
        let response = open.object(.post, nil, wish, nil)
        #expect(response.status == 201)
        #expect(response.values("Location") == ["/yambas/rest/apps/testApp/models/Basics/User/new%20one"])
        guard case .add(let user)? = open.registry.asked.first else {
            Issue.record("nobody was added")
            return
        }
        #expect(user.username == "new one" && user.realm == "Default" && user.roles.isEmpty)
        #expect(open.registry.askedFrom == ChangeOrigin(requestID: "r-1", application: "testApp"))
        #expect(open.object(.post, nil, wish, nil, key: nil).status == 401)
        #expect(open.object(.post, nil, wish, nil, key: Apps.other).status == 403)
        for taken in ["testUser", "admin@example.com"] {
            let again = #"{"userName":"\#(taken)","password":"fresh"}"#
            #expect(open.object(.post, nil, again, nil).status == 409)
        }
        for bad in [
            #"{"userName":"x"}"#, #"{"userName":"a:b","password":"p"}"#, #"{"userName":" x","password":"p"}"#,
            #"{"userName":"x","password":"p","roles":["Manager"]}"#, #"{"userName":"x\n","password":"p"}"#,
        ] {
            #expect(open.object(.post, nil, bad, nil).status == 400)
        }
        #expect(open.registry.asked.count == 1)
        open.registry.answers(.exists)
        #expect(open.object(.post, nil, wish, nil).status == 409)
    }

    // MARK: Facebook

    @Test("AOM-11: Facebook users get a pair in the slot `facebook`, without account and roles")
    func facebook() throws {
        let url = try WebURL("https://graph.example.com/debug_token")
        let apps = Apps {
            $0.socialLogin = SocialLogin(provider: "facebook", appID: "app", appSecret: "s|x", verifyURL: url)
        }
        let form =
            "grant_type=aom_facebook&client_id=testApp&client_secret=\(Apps.key)&facebook_token=EAAB%2B1"
        #expect(apps.post(form).status == 503)
        apps.provider.answers(#"{"data":{"app_id":"app","type":"USER","is_valid":true,"user_id":"77","expires_at":0}}"#)
        let map = apps.post(form)
        #expect(map.status == 200)
        #expect(map.json?["extra"]?.string == "facebook")
        #expect(apps.post(form).access == map.access)
        let principal = try apps.present(map.access).get()
        #expect(principal.subject == "facebook:77")
        #expect(principal.virtual && principal.roleNames.isEmpty && principal.level == 1)
        #expect(
            apps.provider.asked
                == Array(
                    repeating: "/debug_token?input_token=EAAB%2B1&access_token=app%7Cs%7Cx", count: 2))
        #expect(apps.post(Apps.refreshing(map.renewal)).status == 200)
        #expect(apps.post(form + "&extra=x").status == 400)
        apps.provider.answers(#"{"data":{"is_valid":false}}"#)
        #expect(apps.post(form.replacing("EAAB", with: "BAAB")).error == "invalid_grant")
        #expect(self.apps.post(form).error == "unauthorized_client")
    }
}
