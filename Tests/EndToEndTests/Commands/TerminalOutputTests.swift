import Foundation
import Glibc
import Testing

/// What commands print for people, on a terminal, and for programs.
@Suite(.enabled(if: Program.hasTerminals, "script(1) is not installed")) struct TerminalOutputTests {
    private static func directory() throws -> ConfigurationDirectory {
        try ConfigurationDirectory(["gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text])
    }

    @Test("lists are tables on a terminal, and lines of JSON elsewhere and with --json")
    func lists() throws {
        let directory = try Self.directory()
        let shown = try Program.runOnTerminal(
            "users", "list", "--config", directory.path, environment: ["NO_COLOR": "1"])
        let rows = shown.split(separator: "\n")
        #expect(rows.first?.hasPrefix("username  realm  ") == true, "\(shown)")
        let place = try #require(rows.first?.firstRange(of: "realm")).lowerBound.utf16Offset(in: rows[0])
        #expect(rows.count > 2 && rows.dropFirst().allSatisfy { $0.dropFirst(place).hasPrefix("Default ") }, "\(shown)")
        #expect(!shown.contains("{") && !shown.contains("\u{1b}"))
        let piped = try CommandLine.run("users", "list", "--config", directory.path)
        let lines = piped.output.split(separator: "\n")
        #expect(lines.count == rows.count - 1 && lines.allSatisfy { $0.hasPrefix(#"{"username":""#) })
        let forced = try Program.runOnTerminal("users", "list", "--config", directory.path, "--json")
        #expect(forced == piped.output + "\n")
        #expect(try CommandLine.run("users", "list", "--config", directory.path, "--json").output == piped.output)
    }

    @Test("one entry is indented JSON on a terminal, and one line of it elsewhere")
    func entries() throws {
        let directory = try Self.directory()
        let shown = try Program.runOnTerminal("users", "show", "ann", "--config", directory.path)
        #expect(shown.hasPrefix("{\n  \"username\": \"ann\",\n"), "\(shown)")
        let piped = try CommandLine.run("users", "show", "ann", "--config", directory.path).output
        #expect(piped.hasPrefix(#"{"username":"ann","#))
        #expect(
            try Program.runOnTerminal("users", "show", "ann", "--config", directory.path, "--json") == piped + "\n")
    }

    @Test("names are plain, and JSON with --json")
    func names() throws {
        let directory = try Self.directory()
        try directory.write("realms.json", #"["Default", "Staff"]"#)
        #expect(try CommandLine.run("realms", "list", "--config", directory.path).output == "Default\nStaff")
        #expect(try Program.runOnTerminal("realms", "list", "--config", directory.path) == "Default\nStaff\n")
        let forced = try CommandLine.run("realms", "list", "--config", directory.path, "--json").output
        #expect(forced == "\"Default\"\n\"Staff\"")
    }

    @Test(
        "colours are on capable terminals without NO_COLOR only",
        arguments: [
            (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
            (["TERM": "xterm", "NO_COLOR": "0"], false), (["TERM": "dumb"], false), (["TERM": ""], false),
        ])
    func colours(_ environment: [String: String], _ isColoured: Bool) throws {
        let directory = try Self.directory()
        let list = try Program.runOnTerminal("users", "list", "--config", directory.path, environment: environment)
        try directory.write("routes.json", "{}")
        let check = try Program.runOnTerminal("check", directory.path, environment: environment)
        #expect(check.contains("error") && check.contains("\u{1b}[31merror: \u{1b}[m") == isColoured, "\(check)")
        #expect(list.contains("\u{1b}") == isColoured, "\(list)")
        #expect(try !CommandLine.run("check", directory.path, environment: environment).errors.contains("\u{1b}"))
    }

    @Test("the logs of `serve` are text on a terminal, and JSON with --json", arguments: [false, true])
    func logs(_ isJSON: Bool) throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["log"] = nil
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let program = try Program.onTerminal(
            [GatewayProcess.binary, "serve", directory.path] + (isJSON ? ["--json"] : []),
            environment: ["NO_COLOR": "1"])
        let pattern =
            isJSON
            ? /"event":"listening","listener":"public","address":"127.0.0.1:(\d+)"/
            : /listening listener=public address=127.0.0.1:(\d+)/
        let port = program.wait(.output) {
            $0.lazy.compactMap { $0.firstMatch(of: pattern) }.first.flatMap { UInt16($0.1) }
        }
        let connection = try RawConnection(port: #require(port))
        #expect(try connection.exchange("GET", "/no=thing").status >= 400)
        let access = program.wait(.output) { $0.first { $0.contains("no=thing") } }
        let ready = try #require(program.wait(.output) { $0.first { $0.contains("pid") } }).replacing("\r", with: "")
        if isJSON {
            #expect(JSONText(ready)["event"].string == "ready" && access?.contains(#""path":"/no=thing""#) == true)
        } else {
            let line =
                /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO    ready version=\S+ workers=\d+ engine=\S+ pid=(\d+)/
            #expect(ready.wholeMatch(of: line) != nil, "\(ready)")
            let start = /\S+Z \d{3} GET "\/no=thing" request_id=\S+ client_ip=127.0.0.1 .*\r?/
            #expect(access?.wholeMatch(of: start) != nil, "\(access ?? "")")
        }
        let written = program.lines(.output).joined()
        #expect(!written.contains("\u{9b}") && !written.contains("\u{1b}"))
        let identifier = try #require(ready.firstMatch(of: /pid"?[=:](\d+)/)?.1)
        kill(try #require(pid_t(identifier)), SIGTERM)
        #expect(program.waitForEnd() != nil)
    }

    @Test("progress is on capable terminals only")
    func progress() throws {
        let directory = try Self.directory()
        let names = (0..<3).map { "user\($0),Welcome1-\($0)\n" }.joined()
        try directory.write("new.csv", "username,password\n" + names)
        let arguments = ["users", "import", "\(directory.path)/new.csv", "--config", directory.path]
        func shown(_ environment: [String: String]) throws -> String {
            let program = try Program.onTerminal([GatewayProcess.binary] + arguments, environment: environment)
            #expect(program.waitForEnd() == .exit(0))
            let written = program.lines(.output).joined()
            for number in 0..<3 {
                #expect(
                    try CommandLine.run("users", "remove", "user\(number)", "--config", directory.path).ending
                        == .exit(0))
            }
            return written
        }
        #expect(try shown([:]).contains("\u{1b}[K0 of 3 passwords hashed"))
        #expect(try !shown(["TERM": "dumb"]).contains("passwords hashed"))
        let piped = try CommandLine.run(arguments)
        #expect(piped.ending == .exit(0) && !(piped.output + piped.errors).contains("hashed"))
    }

    @Test("replay shows its progress on capable terminals only")
    func replaying() throws {
        let directory = try Self.directory()
        try directory.write("access.log", "{}\n")
        let arguments = ["replay", "\(directory.path)/access.log", directory.path]
        let shown = try Program.onTerminal([GatewayProcess.binary] + arguments)
        #expect(shown.waitForEnd() == .exit(0))
        #expect(shown.lines(.output).joined().contains("\u{1b}[K0 lines read"))
        let piped = try CommandLine.run(arguments)
        #expect(piped.ending == .exit(0) && !(piped.output + piped.errors).contains("lines read"))
    }

    @Test("version and status have JSON, with the same names")
    func objects() throws {
        let text = try CommandLine.run("version").output
        let version = JSONText(try CommandLine.run("-V", "--json").output)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            #expect(version[parts[0]].string == parts[1], "\(line)")
        }
        #expect(version["commit"].string?.wholeMatch(of: /unknown|[0-9a-f]{12,40}(-dirty)?/) != nil)
        let fixture = try Fixture()
        let admin = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        let status = JSONText(try CommandLine.run("status", "--admin", admin, "--json").output)
        #expect(status["ready"].bool == true && status["configuration"].integer == 1)
        #expect(status["refusedReloads"].integer == 0)
    }
}
