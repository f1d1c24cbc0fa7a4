import Foundation
import Testing

/// The least length of passwords that are newly set (`passwords.minLength`), in each place where one is.
@Suite struct PasswordLengthTests {
    private static let message = "fewer than 8 characters (passwords.minLength)"

    @Test(
        "the administration refuses passwords that are too short, by characters", arguments: Administrator.Way.allCases)
    func administration(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        #expect(try admin.refused("users", "add", "carl", input: "Welcom9\n").contains(Self.message))
        #expect(try admin.refused("users", "set-password", "joe", input: "über123\n").contains(Self.message))
        _ = try admin.done("users", "add", "carl", input: "Wélcome9\n")
        #expect(try admin.grant("joe", "Welcome1") == 200)
        // Those in files stay valid.
        #expect(try admin.grant("eve", "a%2Bb%26c=%25") == 200)
    }

    @Test("an import names the lines, and adds no user", arguments: Administrator.Way.allCases)
    func imports(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let list = "username,password\ncarl,Welcome4\ndora,short\n,x\n"
        let errors = try admin.refused("users", "import", "-", input: list)
        #expect(errors.contains("line 3: the password has \(Self.message)"), "\(errors)")
        #expect(errors.contains("line 4: the username is missing"), "\(errors)")
        #expect(
            try admin.refused("users", "import", "-", input: "username,password\ndora,short\n").contains("line 2: "))
        #expect(try admin.grant("carl", "Welcome4") == 400)
    }

    @Test("people of the user profile service, and users who sign up")
    func others() throws {
        let profiles = try ProfileFixture()
        let will = try profiles.token("will")
        func person(_ password: String) -> String { #"{"id":"carl","password":"\#(password)"}"# }
        #expect(try profiles.send("POST", "/people", will, person("Welcom9")).status == 400)
        #expect(try profiles.send("POST", "/people", will, person("Welcome9")).status == 201)
        let app = try AppFixture(application: #", "allowSignUp": true"#)
        func user(_ password: String) -> String {
            #"{"@type":"Basics$User","userName":"carl","password":"\#(password)"}"#
        }
        #expect(try app.object("POST", nil, user("Welcom9"), at: AppFixture.userPath).status == 400)
        #expect(try app.object("POST", nil, user("Welcome9"), at: AppFixture.userPath).status == 201)
        let change = #"{"@type":"Basics$User","password":"short"}"#
        #expect(try app.object("PUT", .basic("testUser:secret"), change).status == 400)
    }

    @Test("the setting changes the length, with a reload")
    func setting() throws {
        let admin = try Administrator(.listener)
        try admin.fixture.reload { $0["passwords"] = #"{"minLength": 12}"# }
        #expect(try admin.refused("users", "add", "carl", input: "Welcome1234\n").contains("fewer than 12 characters"))
        _ = try admin.done("users", "add", "carl", input: "Welcome12345\n")
        try admin.fixture.reload { $0["passwords"] = #"{"minLength": 1}"# }
        _ = try admin.done("users", "add", "dora", input: "x\n")
        #expect(try admin.grant("dora", "x") == 200)
    }
}
