import Foundation
import Glibc
import Testing

/// `portcullis users import` of many users (MBE-10).
@Suite struct UserImportTests {
    @Test("a list of several MiB is imported; a body over the limit is reported as such")
    func large() throws {
        let admin = try Administrator(.listener)
        let filler = String(repeating: "x", count: 200)
        let rows = (0..<12_000).map { "user\($0),Clerk,\(filler)\n" }
        let csv = "username,roles,firstName\n" + rows.joined()
        #expect(csv.utf8.count > 2 << 20)
        #expect(try admin.done("users", "import", "-", input: csv) == #"{"added":12000}"#)
        #expect(JSONText(try admin.done("users", "show", "user11999"))["roles"].strings == ["Clerk"])
        let errors = try admin.run(
            ["policy", "set", "Security_SsoRedirectWhitelist", "-"], input: String(repeating: "x", count: 3 << 20)
        ).errors
        #expect(errors.contains("413") || errors.contains("too large"), "\(errors)")
        #expect(!errors.contains("Broken pipe"))
    }

    @Test("every problem of a list is reported in one run", arguments: Administrator.Way.allCases)
    func problems(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let csv = """
            username,password,roles,email
            ann2,a"b,Clerk,a@x
            bob2,secret99,Clerc,b@x
            carl,secret99,Clerk
            ,secret99,Clerk,d@x
            joe,secret99,Clerk,e@x
            dora,\(String(repeating: "p", count: 2000)),Clerk,f@x
            eva,secret99,Clerk,nobody
            eva,secret99,Clerk,g@x
            "open,secret99,Clerk,h@x

            """
        let errors = try admin.refused("users", "import", "-", input: csv).split(separator: "\n")
        let wanted = [
            "line 2: a field with a quote", "line 3: roles: unknown role", "line 4: 3 fields where the header has 4",
            "line 5: the username is missing", "line 6: there is a user \"joe\"",
            "line 7: the password is empty or longer", "line 8: email: invalid value",
            "line 9: the user \"eva\" is listed twice", "line 10: a quoted field has no end",
        ]
        #expect(errors.count == wanted.count + 1, "\(errors)")
        for (line, start) in zip(errors, wanted) { #expect(line.hasPrefix(start), "\(line)") }
    }

    @Test("an interrupted import resumes, and leaves no files behind")
    func resumes() throws {
        let admin = try Administrator(.files)
        let directory = admin.fixture.gateway.configuration
        let count = 160
        let rows = (0..<count).map { "user\($0),\"password\n\($0)\",Clerk\n\n" }.joined()
        try directory.write("list.csv", "username,password,roles\n" + rows)
        let arguments = ["users", "import", directory.path + "/list.csv", "--config", directory.path]
        let first = try Program(GatewayProcess.binary, arguments)
        let work = directory.path + "/list.csv.hashed"
        let hashed = { (try? directory.read("list.csv.hashed"))?.split(separator: "\n").count ?? 0 }
        let deadline = Date(timeIntervalSinceNow: 60)
        while hashed() < 5, first.isRunning, Date() < deadline { Thread.sleep(forTimeInterval: 0.005) }
        first.signal(SIGKILL)
        _ = first.waitForEnd()
        let kept = hashed() - 1
        try #require(kept >= 4 && kept < count, "\(kept)")
        let attributes = try FileManager.default.attributesOfItem(atPath: work)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(!(try directory.read("gateway.json").contains("user0")))
        // As a power failure leaves it.
        try directory.write("list.csv.hashed", try directory.read("list.csv.hashed") + "150 {scrypt}ln=1")
        let text = try directory.read("list.csv.hashed")
        let second = try Program.run(GatewayProcess.binary, arguments)
        #expect(second.ending == .exit(0) && second.output == #"{"added":\#(count)}"#, "\(second)")
        #expect(second.errors.hasPrefix("portcullis: \(kept) of \(count) passwords are in \(work) already"))
        #expect(!FileManager.default.fileExists(atPath: work))
        let users = try directory.contents().values.joined()
        for line in text.split(separator: "\n").dropFirst().prefix(kept) {
            #expect(users.contains(line.drop { $0 != "{" }), "\(line)")
        }
        try admin.done("users", "show", "user159")
        #expect(try admin.grant("user0", "password%0A0") == 200)
        #expect(try admin.grant("user150", "password%0A150") == 200)
        // Of another list nothing is taken.
        try directory.write("list.csv", "username,password\nzoe,Welcome9\n")
        try directory.write("list.csv.hashed", text)
        let other = try Program.run(GatewayProcess.binary, arguments)
        #expect(other.output == #"{"added":1}"# && other.errors.isEmpty, "\(other)")
    }

    @Test("errors are reported with their lines before passwords are hashed")
    func checkedFirst() throws {
        let admin = try Administrator(.listener)
        let directory = admin.fixture.gateway.configuration
        let rows = (0..<5000).map { "user\($0),secret99,Clerk\n" }.joined()
        try directory.write("list.csv", "username,password,roles\n" + rows + "\n\nlast,secret99,Boss\n")
        let start = ContinuousClock.now
        let errors = try admin.refused("users", "import", directory.path + "/list.csv")
        #expect(errors.hasPrefix("line 5004: roles: unknown role \"Boss\""), "\(errors)")
        // 5,000 hashes would take minutes.
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/list.csv.hashed"))
    }
}
