import Glibc
import Testing

/// Secrets that programs print.
@Suite struct SecretProgramTests {
    private static func programs(_ shell: String) -> String {
        #"{"vault": {"command": ["/bin/sh", "-c", "\#(shell)", "sh", "{key}"], "timeout": "2s"}}"#
    }

    @Test("the secret of a running gateway is what the program prints, and a reload asks it again")
    func running() throws {
        let fixture = try Fixture(files: ["secrets": "first\n"], environment: ["VAULT_TOKEN": "t"]) {
            $0["secretPrograms"] = Self.programs(#"test $VAULT_TOKEN = t && test $1 = shop/client && cat secrets"#)
            $0["backends"] = FixtureSettings.backends.replacing(#""inv-secret""#, with: #""program:vault:shop/client""#)
        }
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:first").status == 200)
        try fixture.gateway.configuration.write("secrets", "second\n")
        let before = fixture.gateway.events("reloaded").count
        fixture.gateway.program.signal(SIGHUP)
        try #require(fixture.gateway.waitForEvent("reloaded", skipping: before) != nil)
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:second").status == 200)
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:first").status == 401)
        // A program that fails leaves the last good configuration in force.
        try fixture.gateway.configuration.remove("secrets")
        let refused = fixture.gateway.events("reload_failed").count
        fixture.gateway.program.signal(SIGHUP)
        try #require(fixture.gateway.waitForEvent("reload_failed", skipping: refused) != nil)
        #expect(try fixture.grant("grant_type=client_credentials", client: "inv-client:second").status == 200)
        #expect(!fixture.gateway.everythingWritten.contains("second"))
    }

    @Test(
        "check says what is wrong with a program",
        arguments: [
            ("echo no such secret >&2; echo half; exit 3", "has failed (exit status 3): no such secret"),
            ("sleep 60", "has not ended after 2000 ms"),
            ("kill -9 $$", "has failed (signal 9)"), ("true", "prints no secret"),
            ("head -c 70000 /dev/zero | tr '\\\\0' a", "prints more than 64 KiB"),
            ("printf '\\\\377'", "prints no UTF-8"),
        ])
    func failures(shell: String, message: String) throws {
        let directory = try SampleSecret.directory(Self.programs(shell), "program:vault:a")
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.ending == .exit(1))
        #expect(checked.errors.contains("/admin/adminToken: the program \"vault\" \(message)"), "\(checked.errors)")
        #expect(!checked.errors.contains("half"))
    }

    @Test("a program that takes too long is ended with what it has started", arguments: ["wait", "true"])
    func group(_ last: String) throws {
        let place = try ConfigurationDirectory()
        let alive = "\(place.path)/alive"
        try #require(unsafe mkfifo(alive, 0o600) == 0)
        let reader = unsafe open(alive, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let shell = "sleep 600 2> \(alive) & \(last)"
        let directory = try SampleSecret.directory(Self.programs(shell), "program:vault:a")
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.errors.contains("has not ended after 2000 ms"), "\(checked.errors)")
        // The other end is closed once no process has it any more.
        var end = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&end, 1, Deadline.usual.milliseconds) == 1 && end.revents & Int16(POLLHUP) != 0)
    }

    @Test("a program that is not there, or has no absolute path, is an error")
    func missing() throws {
        for (command, message) in [
            (#"["/nowhere/vault"]"#, #"/admin/adminToken: the program "vault" cannot be started"#),
            (#"["vault"]"#, "/secretPrograms/vault/command: the program is no absolute path"),
            ("[]", "/secretPrograms/vault/command: invalid value"),
        ] {
            let directory = try SampleSecret.directory(#"{"vault": {"command": \#(command)}}"#, "program:vault")
            let checked = try CommandLine.run("check", directory.path)
            #expect(checked.ending == .exit(1) && checked.errors.contains(message), "\(checked.errors)")
        }
    }

    private enum SampleSecret {
        static func directory(_ programs: String, _ secret: String) throws -> ConfigurationDirectory {
            try ConfigurationDirectory([
                "gateway.json": """
                {"baseUrl": "http://127.0.0.1:8080", "listeners": [{"address": "127.0.0.1", "port": 8080}],
                 "secretPrograms": \(programs), "admin": {"port": 9901, "adminToken": "\(secret)"}}
                """
            ])
        }
    }
}
