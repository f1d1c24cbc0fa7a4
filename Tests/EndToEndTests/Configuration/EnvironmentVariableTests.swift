import Testing

/// Variables of the environment in the configuration of a running gateway.
@Suite struct EnvironmentVariableTests {
    @Test("routes and roles are as the variables say, and commands leave the variables in the files")
    func running() throws {
        let environment = ["ROUTE_ROLE": "Manager", "OPEN_PATH": "/elsewhere"]
        let fixture = try Fixture(environment: environment) {
            $0["environment"] = #"["ROUTE_*"]"#
            $0.addRoutes(
                #"{"path": "${OPEN_PATH:-/none}", "upstream": "stub", "public": true}"#,
                #"{"name": "ruled", "path": "/ruled", "upstream": "stub", "roles": ["${ROUTE_ROLE}"]}"#)
        }
        #expect(try fixture.request("GET", "/elsewhere").status == 200)
        let (joe, ann) = (Field.bearer(try fixture.token("joe")), Field.bearer(try fixture.token("ann")))
        #expect(try fixture.request("GET", "/ruled", [joe]).status == 200)
        #expect(try fixture.request("GET", "/ruled", [ann]).status == 403)
        let directory = fixture.gateway.configuration
        let set = try CommandLine.run(
            "route", "set", "ruled", "maxBodyBytes=7", "--config", directory.path, environment: environment)
        #expect(set.ending == .exit(0), "\(set.errors)")
        let text = try directory.read("gateway.json")
        #expect(text.contains(#""${ROUTE_ROLE}""#) && text.contains(#""${OPEN_PATH:-/none}""#) && text.contains("7"))
        // Data is no configuration, and an edit writes no value.
        let added = try CommandLine.run(
            "users", "add", "max", "--first-name", "${ROUTE_ROLE}", "--no-password", "--config", directory.path,
            environment: environment)
        #expect(added.ending == .exit(0), "\(added.errors)")
        let shown = try CommandLine.run(
            "users", "show", "max", "--config", directory.path, environment: environment)
        #expect(JSONText(shown.output)["firstName"].string == "${ROUTE_ROLE}")
        let refused = try CommandLine.run(
            "route", "set", "ruled", #"roles=["Clerk"]"#, "--config", directory.path, environment: environment)
        #expect(
            refused.ending == .exit(1) && refused.errors.contains("variable of the environment"), "\(refused.errors)")
        #expect(try directory.read("gateway.json").contains(#""${ROUTE_ROLE}""#))
        // Without its variable the configuration is refused, and the message shows no value.
        let checked = try CommandLine.run("check", directory.path, environment: ["OPEN_PATH": "se cret"])
        #expect(checked.ending == .exit(1))
        #expect(checked.errors.contains("the environment variable ROUTE_ROLE is not set"), "\(checked.errors)")
        #expect(!checked.errors.contains("se cret"), "\(checked.errors)")
    }

    @Test("findings about policies show no value of a variable, nor a wrong value that may be a secret")
    func policies() throws {
        let environment = ["SECRET_URL": "hunter2.example"]
        let fixture = try Fixture(environment: environment) {
            $0["environment"] = #"["SECRET_*"]"#
            $0["policies"] = """
                {"Security_AuthTokenConfiguration": {"issuers": [
                  {"issuerName": "https://a.example.com", "jwks": {"jwksUri": "${SECRET_URL}"}},
                  {"issuerName": "https://b.example.com", "jwks": {"jwksUri": "http://b.example.com/?key=hunter3"}}]}}
                """
        }
        let directory = fixture.gateway.configuration.path
        for command in [["check", directory], ["issuer", "list", "--config", directory]] {
            let result = try Program.run(GatewayProcess.binary, command, environment: environment)
            let said = result.output + result.errors
            #expect(said.contains("jwksUri"), "\(said)")
            #expect(!said.contains("hunter"), "\(said)")
        }
        #expect(!fixture.gateway.everythingWritten.contains("hunter"))
    }
}
