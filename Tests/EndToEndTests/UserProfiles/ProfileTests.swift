import Foundation
import Testing

/// User profiles over the real binary, by the check lines of UPS-01 to UPS-07.
@Suite struct ProfileTests {
    @Test("UPS-01: a user is returned completely or with the requested attributes")
    func person() throws {
        let fixture = try ProfileFixture()
        let token = try fixture.token("rita")
        let mail = try fixture.get("/people/joe?attrs=mail", token)
        #expect(mail.status == 200 && mail.text == #"{"id":"joe","mail":"joe@example.com"}"#)
        #expect(try fixture.get("/people/joe?attrsToFetch=mail", token).text == mail.text)
        let all = try fixture.get("/people/joe", token)
        #expect(
            all.text == """
                {"id":"joe","uid":"joe","uri":"\(ProfileFixture.path)/people/joe","mail":"joe@example.com",\
                "firstName":"Joe","lastName":"Example","title":"Boss","manager":"ann",\
                "managerURI":"\(ProfileFixture.path)/people/ann","reports":"\(ProfileFixture.path)/people/joe/reports"}
                """)
        #expect(all.only("Content-Type") == "application/json" && all.only("Cache-Control") == "no-store")
        let whole = try fixture.get("/people/joe?attrs=id&prefetch=manager,groups,reports", token).json
        #expect(whole["prefetched"]["manager"]["id"].string == "ann")
        #expect(whole["prefetched"]["groups"].strings == ["Manager"])
        #expect(whole["prefetched"]["reports"].list.map { $0["id"].string } == ["ann", "bob"])
        #expect(try fixture.get("/people/nobody", token).status == 404)
    }

    @Test("UPS: reading needs a right, but users may read themselves")
    func rights() throws {
        let fixture = try ProfileFixture()
        let bob = try fixture.token("bob")
        #expect(try fixture.get("/people/bob", bob).json["mail"].string == "bob@example.com")
        #expect(try fixture.get("/people/bob?prefetch=groups", bob).status == 200)
        #expect(try fixture.get("/people/bob/attributes/mail", bob).json["value"].string == "bob@example.com")
        #expect(try fixture.get("/groups/Clerk/members/bob", bob).code == "profile_not_member")
        let closed = [
            "/people", "/people/joe", "/people/nobody", "/people/joe/attributes/mail", "/people/bob/manager",
            "/people/bob/reports", "/people/bob?prefetch=manager", "/people/bob?prefetch=groups,reports", "/groups",
            "/groups/Clerk", "/groups/None", "/groups/Clerk/members", "/groups/Clerk/members/ann",
        ]
        for target in closed {
            let refused = try fixture.get(target, bob)
            #expect(refused.status == 403 && refused.code == "profile_right_missing", "\(target)")
        }
        // Writing is no reading, and reading no writing.
        let (wanda, rita) = (try fixture.token("wanda"), try fixture.token("rita"))
        #expect(try fixture.get("/people/joe", wanda).status == 403)
        for (method, target) in [
            ("POST", "/people"), ("PUT", "/people/rita"), ("PATCH", "/people/joe"), ("DELETE", "/people/joe"),
            ("POST", "/groups"), ("PATCH", "/groups/Clerk"), ("DELETE", "/groups/Guest"),
            ("PUT", "/groups/Clerk/members/rita"), ("DELETE", "/groups/Clerk/members/ann"),
        ] {
            #expect(try fixture.send(method, target, rita, "{}").status == 403, "\(method) \(target)")
        }
    }

    @Test("UPS: missing, invalid and other kinds of credentials are refused")
    func credentials() throws {
        let fixture = try ProfileFixture()
        let target = ProfileFixture.path + "/people/joe"
        let bare = try fixture.gateway.request("GET", target)
        #expect(bare.status == 401 && bare.only("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        let wrong = try fixture.gateway.request("GET", target, [.bearer("x.y.z")])
        #expect(wrong.status == 401 && wrong.only("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        let basic = try fixture.gateway.request(
            "GET", target, [.basic("joe:pw-joe"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(basic.status == 401 && basic.only("WWW-Authenticate") == #"Bearer realm="portcullis""#)
        #expect(basic.text == bare.text)
        #expect(try fixture.get("/people/joe", try fixture.gateway.clientToken()).status == 403)
    }

    @Test("UPS-02: search results are paged")
    func search() throws {
        let fixture = try ProfileFixture(
            users: (0..<45).map { ProfileFixture.user("page\($0 < 10 ? "0" : "")\($0)") })
        let token = try fixture.token("rita")
        let last = try fixture.get("/people?filter[id]=PAGE&simple=true&attrs=id&pageSize=20&pagePosition=2", token)
        #expect(
            last.text == """
                {"items":[{"id":"page40"},{"id":"page41"},{"id":"page42"},{"id":"page43"},{"id":"page44"}],\
                "total":45,"pagePosition":2,"pageSize":20}
                """)
        let all = try fixture.get("/people", token).json
        #expect(all["total"].integer == 51 && all["pageSize"].integer == 50 && all["items"].list.count == 50)
        let both = try fixture.get("/people?filter%5Bmanager%5D=joe&filter%5Bmail%5D=bob@example.com&attrs=id", token)
        #expect(both.json["items"].list.map { $0["id"].string } == ["bob"])
        #expect(try fixture.get("/people?filter[manager]=joe&filter[id]=joe", token).json["total"].integer == 0)
        #expect(
            try fixture.get("/people?filter[manager]=jo&filter[title]=bo&simple=true", token).json["total"].integer
                == 3)
        for query in [
            "pageSize=0", "pageSize=201", "pageSize=-1", "pageSize=+5", "pageSize=99999999999999999999",
            "pagePosition=x",
            "filter[password]={PlainText}pw-joe", "filter[password]=%7B&simple=true", "filter[roles]=Manager",
            "filter[passwordHash]=x", "filter[otpSecret]=x", "filter[id]=", "filter=x", "filter[]=x", "filtre[id]=joe",
            "filter[id]=joe&filter[id]=ann", "attrs=password", "attrs=mail,", "simple=yes", "prefetch=groups",
        ] {
            let refused = try fixture.get("/people?" + query, token)
            #expect(refused.status == 400 && refused.code == "profile_malformed_query", "\(query): \(refused.text)")
        }
        let far = try fixture.get("/people?pagePosition=9223372036854775807", token)
        #expect(far.status == 200 && far.json["items"].list.isEmpty && far.json["total"].integer == 51)
    }

    @Test("UPS-03: a user is created, changed and removed, and the tokens end")
    func lifeCycle() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let body = #"{"id":"carl","password":"Welcome9","mail":"carl@example.com","title":"New","manager":"joe"}"#
        let made = try fixture.send("POST", "/people", will, body)
        #expect(made.status == 201 && made.only("Location") == ProfileFixture.path + "/people/carl")
        #expect(made.json["title"].string == "New" && !made.text.contains("Welcome9"))
        #expect(try fixture.send("POST", "/people", will, body).code == "name_taken")
        #expect(
            try fixture.send("POST", "/people", will, #"{"id":"cora","mail":"CARL@example.com"}"#).code
                == "profile_mail_taken")
        let carl = try fixture.token("carl", password: "Welcome9")
        #expect(try fixture.get("/people/carl", carl).text == made.text)
        let changed = try fixture.send("PATCH", "/people/carl", will, #"{"title":null,"lastName":"C"}"#)
        #expect(changed.status == 200 && changed.json["lastName"].string == "C" && !changed.json["title"].exists)
        #expect(changed.json["mail"].string == "carl@example.com")
        let put = try fixture.send("PUT", "/people/carl", will, #"{"id":"carl","displayName":"Carl"}"#)
        #expect(put.json.names == ["displayName", "id", "reports", "uid", "uri"])
        #expect(try fixture.get("/people/carl", carl).text == put.text)
        #expect(try fixture.send("DELETE", "/people/carl", will).status == 204)
        #expect(try fixture.get("/people/carl", carl).status == 401)
        #expect(
            try fixture.gateway.request("GET", "/inventory/me", [.bearer(carl)]).status == 401)
        #expect(try fixture.get("/people/carl", will).status == 404)
        #expect(try fixture.send("DELETE", "/people/carl", will).status == 404)
        // The next user of the name does not get the tokens.
        #expect(try fixture.send("POST", "/people", will, #"{"id":"carl","password":"Welcome8"}"#).status == 201)
        #expect(try fixture.get("/people/carl", carl).status == 401)
        let again = try fixture.token("carl", password: "Welcome8")
        #expect(try fixture.get("/people/carl", again).status == 200)
        let files = try fixture.gateway.gateway.configuration.contents().values.joined()
        #expect(files.contains("{scrypt}ln=") && !files.contains("Welcome8"))
        #expect(!fixture.gateway.gateway.everythingWritten.contains("Welcome9"))
        #expect(fixture.audit("users.add", count: 2).count == 2 && fixture.audit("users.remove", count: 1).count == 1)
        let line = try #require(fixture.audit("users.change", count: 2).first)
        #expect(line["caller"].string == "will" && line["client_id"].string == "mbe-inv-1")
        #expect(line["object"].string == "carl" && line["by"].string == "application")
    }

    @Test("UPS-03: a concurrent change is detected")
    func conditions() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let tag = try #require(try fixture.get("/people/bob", will).only("ETag"))
        let first = try fixture.send("PATCH", "/people/bob", will, #"{"title":"A"}"#, ["If-Match: \(tag)"])
        #expect(first.status == 200)
        let second = try fixture.send("PATCH", "/people/bob", will, #"{"title":"B"}"#, ["If-Match: \(tag)"])
        #expect(second.status == 412 && second.code == "precondition_failed")
        #expect(try fixture.send("DELETE", "/people/bob", will, nil, ["If-Match: \(tag)"]).status == 412)
        let now = try #require(first.only("ETag"))
        #expect(try fixture.get("/people/bob", will).only("ETag") == now)
        #expect(try fixture.send("DELETE", "/people/bob", will, nil, ["If-Match: \"x\", \(now)"]).status == 204)
    }

    @Test(
        "UPS-04: single attributes are returned, never credentials",
        arguments: ["password", "passwordHash", "roles", "x", "title"])
    func attribute(_ name: String) throws {
        let fixture = try ProfileFixture()
        let token = try fixture.token("rita")
        #expect(
            try fixture.get("/people/bob/attributes/mail", token).text
                == #"{"name":"mail","value":"bob@example.com"}"#)
        let unknown = try fixture.get("/people/bob/attributes/\(name)", token)
        #expect(unknown.status == 404 && unknown.code == "profile_unknown_attribute")
    }

    @Test("UPS-05: groups are created, changed and removed, except those in use")
    func groups() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        let made = try fixture.send("POST", "/groups", will, #"{"name":"Night Shift"}"#)
        #expect(made.status == 201 && made.only("Location") == ProfileFixture.path + "/groups/Night%20Shift")
        #expect(try fixture.send("POST", "/groups", will, #"{"name":"Night Shift"}"#).code == "profile_group_taken")
        let changed = try fixture.send("PATCH", "/groups/Night%20Shift", will, #"{"description":"Late"}"#)
        #expect(changed.status == 200 && changed.json["description"].string == "Late")
        #expect(try fixture.get("/groups/Night%20Shift", will).text == changed.text)
        #expect(try fixture.send("PUT", "/groups/Night%20Shift", will, "{}").json["description"].exists == false)
        #expect(try fixture.get("/groups", will).json["items"].list.last?["name"].string == "Night Shift")
        #expect(try fixture.get("/groups/Auditor", will).json["description"].string == "Looks at books")
        #expect(try fixture.send("DELETE", "/groups/Night%20Shift", will).status == 204)
        #expect(try fixture.get("/groups/Night%20Shift", will).status == 404)
        #expect(try fixture.send("DELETE", "/groups/Night%20Shift", will).status == 404)
        // A route names one, users have the other.
        for name in ["Manager", "userProfile.read"] {
            let kept = try fixture.send("DELETE", "/groups/\(name)", will)
            #expect(kept.status == 409 && kept.code == "profile_group_in_use")
        }
        #expect(try fixture.get("/groups/Manager", will).status == 200)
        #expect(
            fixture.audit("roles.remove", count: 3).map { $0["outcome"].string } == ["changed", "refused", "refused"])
    }

    @Test("UPS-06: membership changes apply to permissions")
    func members() throws {
        let fixture = try ProfileFixture()
        let will = try fixture.token("will")
        #expect(try fixture.items("bob") == 403)
        #expect(try fixture.get("/groups/Clerk/members/bob", will).status == 404)
        let added = try fixture.send("PUT", "/groups/Clerk/members/bob", will)
        #expect(added.status == 200 && added.json["id"].string == "bob")
        #expect(try fixture.items("bob") == 200)
        #expect(try fixture.send("PUT", "/groups/Clerk/members/bob", will).status == 200)
        #expect(try fixture.get("/groups/Clerk/members/bob?attrs=id", will).text == #"{"id":"bob"}"#)
        let members = try fixture.get("/groups/Clerk/members?attrs=id", will).json
        #expect(members["items"].list.map { $0["id"].string } == ["ann", "bob"])
        #expect(try fixture.send("DELETE", "/groups/Clerk/members/bob", will).status == 204)
        #expect(try fixture.items("bob") == 403)
        #expect(try fixture.send("DELETE", "/groups/Clerk/members/bob", will).code == "profile_not_member")
        #expect(try fixture.send("PUT", "/groups/None/members/bob", will).code == "profile_unknown_group")
        #expect(try fixture.send("PUT", "/groups/Clerk/members/none", will).code == "profile_unknown_person")
        // The right to write is gone with the role, though the token still names it.
        #expect(try fixture.send("DELETE", "/groups/userProfile.write/members/will", will).status == 204)
        #expect(try fixture.send("PUT", "/groups/Clerk/members/bob", will).status == 403)
        let lines = fixture.audit("users.change", count: 4).map { line in
            [line["object"], line["realm"], line["caller"]].map { $0.string ?? "" } + line["roles_given"].strings + [
                "-"
            ]
                + line["roles_taken"].strings
        }
        #expect(
            lines == [
                ["bob", "Default", "will", "Clerk", "-"], ["bob", "Default", "will", "-"],
                ["bob", "Default", "will", "-", "Clerk"],
                ["will", "Default", "will", "-", "userProfile.write"],
            ])
    }

    @Test("UPS-07: managers and reports are returned, circles included")
    func organisation() throws {
        let fixture = try ProfileFixture()
        let token = try fixture.token("rita")
        #expect(try fixture.get("/people/bob/manager?attrs=id", token).text == #"{"id":"joe"}"#)
        #expect(try fixture.get("/people/joe/manager", token).json["id"].string == "ann")
        #expect(try fixture.get("/people/ann/manager", token).json["id"].string == "joe")
        let reports = try fixture.get("/people/joe/reports?attrs=mail", token)
        #expect(
            reports.text == """
                {"items":[{"id":"ann","mail":"ann@example.com"},{"id":"bob","mail":"bob@example.com"}],\
                "total":2,"pagePosition":0,"pageSize":50}
                """)
        let none = try fixture.get("/people/rita/manager", token)
        #expect(none.status == 404 && none.code == "profile_no_manager")
        #expect(try fixture.get("/people/rita/reports", token).json["total"].integer == 0)
        let will = try fixture.token("will")
        #expect(try fixture.send("PATCH", "/people/bob", will, #"{"manager":"bob"}"#).status == 200)
        #expect(try fixture.get("/people/bob/manager", token).json["id"].string == "bob")
        #expect(try fixture.send("DELETE", "/people/joe", will).status == 204)
        #expect(try fixture.get("/people/ann/manager", token).code == "profile_no_manager")
    }
}
