import Foundation
import Glibc
import Testing

/// `portcullis users` and `portcullis realms`, and the same through the admin listener (MBE-10, MBE-11, MAP-04).
@Suite struct UserAdministrationTests {
    @Test(
        "MBE-10: users of an imported CSV file can log in with their roles",
        arguments: Administrator.Way.allCases)
    func importFile(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let csv = """
            username,email,firstName,password,roles,enabled\r
            carl,carl@example.com,"Carl ""C"", jr.",Welcome4,Manager;Clerk,\r
            dora,dora@example.com,,"pass,word",Clerk,true\r
            sso1,sso1@example.com,,,Manager,
            """
        #expect(try admin.done("users", "import", "-", input: csv) == #"{"added":3}"#)
        #expect(try admin.grant("carl", "Welcome4") == 200)
        #expect(try admin.grant("dora", "pass%2Cword") == 200)
        #expect(try admin.grant("carl", "Welcome5") == 400)
        for (user, password) in ["carl": "Welcome4", "dora": "pass%2Cword"] {
            let reply = try admin.fixture.grant("grant_type=password&username=\(user)&password=\(password)")
            let token = try #require(JSONText(reply.text)["access_token"].string)
            #expect(try admin.bearer(token, "GET", "/inventory/items") == 200, "\(user)")
            #expect(try admin.bearer(token, "POST", "/inventory/items") == (user == "carl" ? 200 : 403), "\(user)")
        }
        // MBE-11: no password, no login with one.
        #expect(try admin.basic("sso1:") == 401)
        #expect(try admin.grant("sso1", "x") == 400)
        let shown = JSONText(try admin.done("users", "show", "sso1"))
        #expect(shown["hasPassword"].bool == false && shown["roles"].strings == ["Manager"])
        #expect(JSONText(try admin.done("users", "show", "carl"))["firstName"].string == #"Carl "C", jr."#)
        // DEC-08, and never in the clear.
        let users = try admin.fixture.gateway.configuration.contents().values.joined()
        #expect(users.contains("{scrypt}ln=") && !users.contains("Welcome4") && !users.contains("pass,word"))
        for text in [admin.fixture.gateway.everythingWritten] { #expect(!text.contains("Welcome4")) }
    }

    @Test(
        "MBE-10: an import with any problem changes nothing and reports each problem by line",
        arguments: Administrator.Way.allCases)
    func importProblems(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let cases: [(String, [String])] = [
            (
                "username,password\ncarl,a\ndora\n,b\n",
                ["line 3: 1 fields where the header has 2", "line 4: the username is missing"]
            ),
            ("username,rolls\ncarl,Clerk\n", [#"line 1: unknown column "rolls"; did you mean "roles"?"#]),
            ("username,email,email\n", [#"line 1: the column "email" is listed twice"#]),
            ("email\na@b\n", [#"line 1: the column "username" is missing"#]),
            ("username\n", ["there are no users below the header row"]),
            ("", ["line 1: the header row is missing"]),
            (
                "username,roles\ncarl,Clerk\ndora,Clerc\n",
                ["line 3: roles: unknown role \"Clerc\"", "did you mean \"Clerk\"?"]
            ),
            (
                "username,email\ncarl,c@x\n\"do\nra\",d@x\neva,nobody\n",
                ["line 3: the user name has the invisible character U+000A", "line 5: email: invalid value"]
            ),
            (
                "username,realm\njoe,Other\njoe,\njoe,Default\n",
                [#"line 3: there is a user "joe""#, "line 4: the user \"joe\" is listed twice"]
            ),
            ("username,email\ncarl,joe@example.com\n", [#"line 2: email: user "joe" has this address already"#]),
            ("username,passwordHash\ncarl,Welcome4\n", ["line 2: password: the password has no scheme"]),
            ("username,enabled\ncarl,yes\n", [#"line 2: "enabled" must be true or false"#]),
            ("username\n\"carl\n", ["line 2: a quoted field has no end"]),
        ]
        for (csv, messages) in cases {
            let errors = try admin.refused("users", "import", "-", input: csv)
            for message in messages { #expect(errors.contains(message), "\(csv): \(errors)") }
            #expect(errors.contains("nothing was written"))
        }
    }

    @Test(
        "MAP-04: a disabled user is refused everywhere immediately; old tokens stay refused afterwards",
        arguments: Administrator.Way.allCases)
    func disable(_ way: Administrator.Way) throws {
        let fixture = try Fixture {
            $0.addRoutes(#"{"path": "/socket", "upstream": "stub", "backends": ["inventory/1.0"]}"#)
        }
        let admin = Administrator(way, of: fixture)
        let (token, ann) = (try fixture.token("joe"), try fixture.token("ann"))
        #expect(try admin.bearer(token) == 200)
        #expect(try admin.basic("joe:Welcome1") == 200)
        try admin.done("users", "disable", "joe")
        #expect(try admin.bearer(token) == 401)
        #expect(try admin.basic("joe:Welcome1") == 401)
        #expect(try admin.grant("joe", "Welcome1") == 400)
        #expect(try admin.bearer(ann) == 200)
        #expect(JSONText(try admin.done("users", "show", "joe"))["enabled"].bool == false)
        try admin.done("users", "enable", "joe")
        #expect(try admin.basic("joe:Welcome1") == 200)
        #expect(try admin.bearer(token) == 401)
        #expect(try admin.bearer(try fixture.token("joe")) == 200)
    }

    @Test(
        "a new password ends the old one and its tokens immediately",
        arguments: Administrator.Way.allCases)
    func setPassword(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let token = try admin.fixture.token("joe")
        #expect(try admin.bearer(token) == 200)
        try admin.done("users", "set-password", "joe", "--scheme", "SaltedSHA-512", input: "Sesame99\n")
        #expect(try admin.basic("joe:Welcome1") == 401)
        #expect(try admin.basic("joe:Sesame99") == 200)
        #expect(try admin.bearer(token) == 401)
        let reply = try admin.fixture.grant("grant_type=password&username=joe&password=Sesame99")
        // A token of the same second as the change counts.
        #expect(try admin.bearer(try #require(JSONText(reply.text)["access_token"].string)) == 200)
        let users = try admin.fixture.gateway.configuration.read("gateway.json")
        #expect(users.contains("{SaltedSHA-512}") && !users.contains("Sesame99"))
        try admin.done("users", "set-password", "joe", "--no-password")
        #expect(try admin.basic("joe:Sesame99") == 401)
        #expect(
            try admin.refused("users", "set-password", "joe", "--scheme", "MD5", input: "x\n").contains(
                "unknown password scheme"))
        #expect(try admin.refused("users", "set-password", "jo", input: "Welcome9\n").contains(#"did you mean "joe"?"#))
    }

    @Test("users add, show, list, roles and remove work in two realms", arguments: Administrator.Way.allCases)
    func life(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        try admin.done(
            "users", "add", "zoë/1", "--email", "zoe@example.com", "--first-name", "Zoë", "--roles", "Clerk",
            input: "pass word\n")
        #expect(try admin.grant("zo%C3%AB%2F1", "pass+word") == 200)
        try admin.done("users", "add", "joe", "--realm", "Partners", "--no-password", "--disabled")
        #expect(try admin.refused("users", "add", "joe", input: "Welcome9\n").contains("already"))
        #expect(
            try admin.refused("users", "add", "x", "--roles", "manager", input: "Welcome9\n").contains(
                #"did you mean "Manager"?"#))
        #expect(try admin.refused("users", "add", "x", input: "\n").contains("no password"))
        #expect(
            try admin.refused("users", "add", "x", "--scheme", "AES", input: "xxxxxxxx\n").contains("passwords.aesKey"))
        let shown = try admin.done("users", "show", "joe", "--realm", "Partners")
        #expect(shown == #"{"username":"joe","realm":"Partners","roles":[],"enabled":false,"hasPassword":false}"#)
        #expect(try admin.done("users", "list").split(separator: "\n").count == 6)
        #expect(try admin.done("users", "list", "--realm", "Partners") == shown)
        #expect(try !admin.done("users", "list").contains("Welcome"))
        // ROLE-04
        #expect(try admin.refused("users", "assign-role", "zoë/1", "clerk").contains(#"unknown role "clerk""#))
        try admin.done("users", "assign-role", "zoë/1", "Manager", "Clerk")
        #expect(JSONText(try admin.done("users", "show", "zoë/1"))["roles"].strings == ["Clerk", "Manager"])
        let reply = try admin.fixture.grant("grant_type=password&username=zo%C3%AB%2F1&password=pass+word")
        let token = try #require(JSONText(reply.text)["access_token"].string)
        #expect(try admin.bearer(token, "POST", "/inventory/items") == 200)
        try admin.done("users", "remove-role", "zoë/1", "Clerk", "Auditor")
        #expect(JSONText(try admin.done("users", "show", "zoë/1"))["roles"].strings == ["Manager"])
        try admin.done("users", "remove", "zoë/1")
        #expect(try admin.bearer(token) == 401)
        #expect(try admin.grant("zo%C3%AB%2F1", "pass+word") == 400)
        #expect(try admin.refused("users", "remove", "zoë/1").contains("there is no user"))
        // The next user of the name does not get the tokens.
        try admin.done("users", "add", "zoë/1", "--roles", "Manager", input: "otherwise\n")
        #expect(try admin.bearer(token) == 401)
    }

    @Test(
        "MBE-09, MBE-10: once realms are listed, users and backends must belong to one",
        arguments: Administrator.Way.allCases)
    func realms(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        #expect(try admin.done("realms", "list") == "Default")
        try admin.done("users", "add", "pat", "--realm", "Anywhere", "--no-password")
        try admin.done("realms", "add", "Partners")
        #expect(try admin.done("realms", "list") == "Default\nAnywhere\nPartners")
        #expect(try admin.refused("realms", "add", "Partners").contains("already"))
        #expect(
            try admin.refused("users", "add", "x", "--realm", "Partner", "--no-password").contains(
                #"did you mean "Partners"?"#))
        #expect(
            try admin.refused("backend", "create", "orders", "1.0", "--realm", "partners").contains("unknown realm"))
        #expect(try admin.refused("realms", "remove", "Anywhere").contains("is in use; users: 1, clients: 0"))
        try admin.done("users", "remove", "pat", "--realm", "Anywhere")
        try admin.done("realms", "remove", "Anywhere")
        #expect(try admin.refused("realms", "remove", "Anywhere").contains("there is no realm"))
        // A user of another realm than the backend's does not log in there.
        try admin.done("users", "add", "pat", "--realm", "Partners", input: "secret99\n")
        #expect(try admin.grant("pat", "secret99") == 400)
        #expect(try admin.basic("pat:secret99") == 401)
        let made = JSONText(try admin.done("backend", "create", "orders", "1.0", "--realm", "Partners"))
        let client = try "\(#require(made["clientId"].string)):\(#require(made["clientSecret"].string))"
        #expect(
            try admin.fixture.grant("grant_type=password&username=pat&password=secret99", client: client).status == 200)
    }

    @Test(
        "CRYPTO-01: stored passwords of every scheme log in",
        arguments: [Administrator.Way.listener])
    func schemes(_ way: Administrator.Way) throws {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let fixture = try Fixture { $0["passwords"] = #"{"aesKey": "\#(key)"}"# }
        let admin = Administrator(way, of: fixture)
        let vectors = Vectors.json("crypto/crypto.json").list
        #expect(vectors.count == 14)
        for vector in vectors {
            let id = try #require(vector["id"].string)
            let (stored, password) = try (#require(vector["stored"].string), #require(vector["password"].string))
            let csv = "username,passwordHash\n\(id),\"\(stored)\"\n"
            // What would never verify is not taken.
            guard ["K13", "K14"].contains(id) == false else {
                #expect(try admin.refused("users", "import", "-", input: csv).contains("scheme"), "\(id)")
                continue
            }
            try admin.done("users", "import", "-", input: csv)
            #expect(try admin.grant(id, password) == (vector["verify"].bool == true ? 200 : 400), "\(id)")
        }
        for scheme in [
            "PlainText", "AES", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SaltedSHA-1", "SaltedSHA-224",
            "SaltedSHA-256", "SaltedSHA-384", "SaltedSHA-512", "PBKDF2-SHA512", "scrypt",
        ] {
            try admin.done("users", "add", "u-\(scheme)", "--scheme", scheme, input: "pass-\(scheme)\n")
            #expect(try admin.grant("u-\(scheme)", "pass-\(scheme)") == 200, "\(scheme)")
            #expect(try admin.grant("u-\(scheme)", "pass-x") == 400, "\(scheme)")
            #expect(try fixture.gateway.configuration.read("gateway.json").contains("{\(scheme)}"))
        }
    }
}
