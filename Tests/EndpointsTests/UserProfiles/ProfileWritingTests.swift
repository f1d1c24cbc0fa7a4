import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import Testing
import TokenStorage

/// What can be written, by which users, and the effects (UPS-03, UPS-05, UPS-06).
@Suite struct ProfileWritingTests {
    @Test("unauthorised changes are refused with a reason")
    func rights() {
        let profiles = Profiles()
        let cases: [(Principal?, Int, String)] = [
            (nil, 401, "profile_bearer_required"),
            (Profiles.principal("boss", method: .basic), 401, "profile_bearer_required"),
            (Profiles.principal("anonymous", kind: .anonymous), 401, "profile_bearer_required"),
            (Profiles.principal("boss", webgate: "WG"), 401, "wrong_webgate"),
            (Profiles.principal("boss", isReadOnly: true), 403, "insufficient_scope"),
            (Profiles.principal("boss", ["userProfile.read"]), 403, "profile_right_missing"),
            // The token has the role, the user has not any more; or is gone, or disabled.
            (Profiles.principal("former"), 403, "profile_right_missing"),
            (Profiles.principal("nobody"), 403, "profile_right_missing"),
            (Profiles.principal("off"), 403, "profile_right_missing"),
        ]
        for (principal, status, reason) in cases {
            let response = profiles.ask(.patch, "/people/joe", #"{"title":"x"}"#, principal)
            #expect(response.status == status && response.reasonText == reason)
            #expect(response.values("WWW-Authenticate").isEmpty == (status != 401 && reason != "insufficient_scope"))
        }
        #expect(profiles.registry.asked.isEmpty)
        // A user known by a token alone has the roles that it names.
        #expect(profiles.ask(.patch, "/people/joe", "{}", Profiles.principal("vera", virtual: true)).status == 200)
        #expect(profiles.get("/people/joe", "", Profiles.principal("joe", [], virtual: true)).status == 403)
        #expect(profiles.get("/people/joe", "", Profiles.principal("joe", [])).status == 200)
    }

    @Test(
        "UPS-03: only permitted members are written",
        arguments: [
            #"{"roles":["Manager"]}"#, #"{"password":"x"}"#, #"{"passwordHash":"{PlainText}x"}"#, #"{"enabled":true}"#,
            #"{"realm":"Other"}"#, #"{"tokensNotBefore":0}"#, #"{"otpSecret":"A"}"#, #"{"securityQuestions":[]}"#,
            #"{"attributes":{"title":"x"}}"#, #"{"email":"a@b"}"#, #"{"username":"x"}"#, #"{"groups":["Manager"]}"#,
            #"{"id":"ann"}"#, #"{"uid":"ann"}"#, #"{"uri":"/x"}"#, #"{"reports":null}"#, #"{"Title":"x"}"#,
            #"{"addRoles":["Manager"]}"#, #"{"":"x"}"#, #"{"managerURI":"/x"}"#,
        ])
    func massAssignment(_ body: String) {
        let profiles = Profiles()
        for method in [Method.put, .patch] {
            let response = profiles.ask(method, "/people/joe", body)
            #expect(response.status == 400 && response.reasonText == "profile_attribute_refused")
        }
        let made = profiles.ask(.post, "/people", #"{"id":"new","# + body.dropFirst())
        if !body.contains(#""password""#) { #expect(made.status == 400) }
        #expect(
            profiles.registry.asked.allSatisfy { if case .add(let user) = $0 { user.roles.isEmpty } else { false } })
    }

    @Test(
        "UPS-03: invalid values are refused",
        arguments: [
            #"{"title":""}"#, #"{"title":5}"#, #"{"title":["x"]}"#, #"{"title":{}}"#, #"{"title":true}"#,
            #"{"title":"a\nb"}"#, #"{"title":"a\u0000"}"#, #"{"mail":"x"}"#, #"{"mail":"a@b@c"}"#,
            #"{"mail":"a b@c"}"#, #"{"mail":"@"}"#, #"{"manager":"nobody"}"#,
        ])
    func values(_ body: String) {
        let profiles = Profiles()
        let response = profiles.ask(.patch, "/people/ann", body)
        #expect(response.status == 400 && response.reasonText == "profile_invalid_attribute")
        #expect(profiles.registry.asked.isEmpty)
    }

    @Test("UPS-03: invalid bodies are refused")
    func bodies() {
        let profiles = Profiles()
        for body in ["", "[]", "null", "{", #"{"title":"a","title":"b"}"#, #"{"title":{"a":{"b":{"c":{}}}}}"#] {
            let response = profiles.ask(.patch, "/people/joe", body)
            #expect(response.status == 400 && response.reasonText == "profile_malformed_body", "\(body)")
        }
        #expect(profiles.ask(.patch, "/people/joe", nil).status == 415)
        #expect(profiles.ask(.patch, "/people/joe", query: "attrs=id", "{}").status == 400)
        let long = #"{"title":"\#(String(repeating: "x", count: 1024))"}"#
        #expect(profiles.ask(.patch, "/people/joe", long).status == 200)
        #expect(profiles.ask(.patch, "/people/joe", long.replacing("xx\"", with: "xxx\"")).status == 400)
    }

    @Test("UPS-03: a read profile can be written back; PUT removes omitted values")
    func whole() throws {
        let profiles = Profiles()
        let read = profiles.get("/people/joe")
        #expect(profiles.ask(.put, "/people/joe", read.text).status == 400, "its manager is gone")
        let body = read.text.replacing(
            #""manager":"gone","managerURI":"/oic_rest/rest/userprofile/people/gone","#, with: "")
        #expect(profiles.ask(.put, "/people/joe", body).status == 200)
        guard case .setProfile("joe", "Default", let values, nil)? = profiles.registry.asked.last else {
            Issue.record("\(profiles.registry.asked)")
            return
        }
        #expect(Set(values.map(\.name)).count == values.count && values.count == 12)
        #expect(values.first { $0.name == "title" }?.value == "Boss")
        #expect(values.first { $0.name == "manager" } == ProfileValue("manager", nil))
        _ = profiles.ask(.patch, "/people/joe", #"{"mail":null}"#, fields: [(name: "if-match", value: "\"x\"")])
        #expect(
            profiles.registry.asked.last
                == .setProfile(
                    username: "joe", realm: "Default", values: [ProfileValue("email", nil)],
                    condition: UserCondition("\"x\"") { _ in false }))
        #expect(profiles.registry.askedFrom.caller == "boss" && profiles.registry.askedFrom.requestID == "r1")
    }

    @Test("UPS-03: names of new users are validated")
    func names() {
        let profiles = Profiles()
        for id in [
            "", ".", "..", "a/b", "a\\\\b", "a:b", "a%2fb", " a", "a ", "a\\u0000", "\\u007f",
            String(repeating: "a", count: 129),
        ] {
            let response = profiles.ask(.post, "/people", #"{"id":"\#(id)"}"#)
            #expect(response.status == 400 && response.reasonText == "profile_invalid_attribute", "\(id)")
        }
        #expect(profiles.ask(.post, "/people", #"{"id":"a","uid":"b"}"#).status == 400)
        #expect(profiles.ask(.post, "/people", #"{"title":"x"}"#).status == 400)
        for id in ["a\\\"b", "jürgen", "a;b", "a,b", "李", "a'b"] {
            let response = profiles.ask(.post, "/people", #"{"uid":"\#(id)"}"#)
            #expect(response.status == 201, "\(id) \(response.text)")
            #expect(response.json?["uri"]?.string == response.values("Location").first)
        }
        // The name of a user in another realm is free.
        #expect(profiles.ask(.post, "/people", #"{"id":"joe"}"#).reasonText == "name_taken")
    }

    @Test("UPS-03: a password is hashed off the event loop, and never returned")
    func password() throws {
        let profiles = Profiles()
        let response = profiles.ask(.post, "/people", #"{"id":"new","password":"Wél come1"}"#)
        #expect(response.status == 201 && !response.text.contains("come1") && !response.text.contains("{" + "scrypt"))
        guard case .add(let user)? = profiles.registry.asked.last else {
            Issue.record("nobody was made")
            return
        }
        #expect(user.passwordHash?.hasPrefix("{scrypt}") == true)
        #expect(user.roles.isEmpty && user.enabled && user.realm == "Default")
        for bad in [#""""#, "5", #""a\u0000""#, "\"\(String(repeating: "x", count: 1025))\""] {
            #expect(profiles.ask(.post, "/people", #"{"id":"x","password":\#(bad)}"#).status == 400)
        }
    }

    @Test("each result of the registry has its response")
    func outcomes() {
        let cases: [(UserChangeOutcome, Int, String)] = [
            (.unknown, 404, "profile_unknown_person"), (.changedMeanwhile, 412, "precondition_failed"),
            (.unfit, 409, "profile_conflict"), (.failed, 503, "users_unavailable"), (.done, 200, "profile_changed"),
        ]
        for (outcome, status, reason) in cases {
            let profiles = Profiles()
            profiles.registry.answers(outcome)
            let response = profiles.ask(.patch, "/people/joe", #"{"title":"x"}"#)
            #expect(response.status == status && response.reasonText == reason)
            #expect(response.values("Retry-After") == (status == 503 ? ["1"] : []))
        }
        let profiles = Profiles()
        profiles.registry.answers(.exists)
        #expect(profiles.ask(.post, "/people", #"{"id":"new"}"#).reasonText == "name_taken")
        #expect(profiles.ask(.post, "/groups", #"{"name":"new"}"#).reasonText == "profile_group_taken")
        #expect(profiles.ask(.delete, "/groups/Clerk").reasonText == "profile_group_in_use")
    }

    @Test("UPS-05, UPS-06: groups support the specified operations")
    func groups() {
        let profiles = Profiles()
        #expect(profiles.get("/groups/Clerk").text.hasPrefix(#"{"name":"Clerk","description":"Counts""#))
        #expect(profiles.get("/groups", "pageSize=2&pagePosition=1").json?["items"]?.array?.count == 2)
        for body in [
            #"{"name":"a,b"}"#, #"{"name":"a/b"}"#, "{}", #"{"name":5}"#, #"{"name":"x","members":["joe"]}"#,
            #"{"name":"x","description":""}"#,
        ] {
            #expect(profiles.ask(.post, "/groups", body).status == 400, "\(body)")
        }
        #expect(profiles.ask(.patch, "/groups/Clerk", #"{"name":"Other"}"#).status == 400)
        #expect(profiles.ask(.patch, "/groups/Clerk", #"{"name":"Clerk"}"#).status == 200)
        #expect(profiles.registry.asked.isEmpty)
        #expect(profiles.ask(.put, "/groups/Clerk", profiles.get("/groups/Clerk").text).status == 200)
        #expect(profiles.registry.asked == [.describeRole(name: "Clerk", description: "Counts")])
        _ = profiles.ask(.put, "/groups/Manager/members/ann")
        #expect(
            profiles.registry.asked.last
                == .setMembership(username: "ann", realm: "Default", role: "Manager", isMember: true))
    }

    @Test("unknown paths and unsupported methods are refused")
    func paths() {
        let profiles = Profiles()
        for path in [
            "/", "/people/", "/people/joe/", "/People/joe", "/people/joe/password", "/people/joe/attributes",
            "/people/joe/attributes/mail/x", "/groups/Clerk/owners", "/people/%FF", "/people/a%00b", "/me",
            "/people//manager", "/people/joe/attributes/",
        ] {
            #expect(profiles.get(path).status == 404, "\(path)")
        }
        #expect(profiles.get("/people/..%2Fjoe").reasonText == "profile_unknown_person")
        for (method, path, allowed) in [
            (Method.delete, "/people", "GET, HEAD, POST"), (.post, "/people/joe", "GET, HEAD, PUT, PATCH, DELETE"),
            (.post, "/groups/Clerk/members", "GET, HEAD"),
            (.patch, "/groups/Clerk/members/joe", "GET, HEAD, PUT, DELETE"),
            (.put, "/people/joe/attributes/mail", "GET, HEAD"), (.options, "/people/joe/manager", "GET, HEAD"),
        ] {
            let response = profiles.ask(method, path, "{}")
            #expect(response.status == 405 && response.values("Allow") == [allowed], "\(path)")
        }
    }
}
