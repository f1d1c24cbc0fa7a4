import Foundation
import Testing

/// Options by variables of the environment, in the real program.
@Suite struct OptionVariableCommandTests {
    @Test("a variable takes the place of the file's value; a wrong one stops the start")
    func serve() throws {
        let fixture = try Fixture(environment: ["PORTCULLIS_TOKEN_SERVICE_USER_TOKEN_SECONDS": "77"]) { _ in }
        let response = try fixture.grant("grant_type=password&username=joe&password=Welcome1")
        #expect(JSONText(response.text)["expires_in"].integer == 77)
        let directory = fixture.gateway.configuration.path
        let wrong = try Program.run(
            GatewayProcess.binary, ["serve", "--config", directory],
            environment: ["PORTCULLIS_TOKEN_SERVICE_USER_TOKEN_SECONDS": "s3cret"])
        #expect(wrong.ending == .exit(1) && !wrong.errors.contains("s3cret"))
        #expect(
            GatewayProcess.findings(in: wrong.errors).contains(
                "PORTCULLIS_TOKEN_SERVICE_USER_TOKEN_SECONDS: error: /tokenService/userTokenSeconds: "))
    }

    @Test("check shows what is set by variables, and warns of those that set nothing")
    func check() throws {
        let directory = try ConfigurationDirectory(
            ["gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text])
        let checked = try Program.run(
            GatewayProcess.binary, ["check", directory.path],
            environment: ["PORTCULLIS_LIMITS_MAX_HEADERS": "70", "PORTCULLIS_LIMIT_MAX_HEADERS": "70"])
        #expect(checked.ending == .exit(0))
        #expect(checked.errors.contains("PORTCULLIS_LIMITS_MAX_HEADERS: note: /limits/maxHeaders: "))
        #expect(checked.errors.contains("PORTCULLIS_LIMIT_MAX_HEADERS: warning: the variable sets no option"))
    }
}
