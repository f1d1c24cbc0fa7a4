import Foundation
import Testing

/// `portcullis client login` in service domains with identity providers and without.
@Suite struct ClientLoginWayTests {
    private let fixture: Fixture

    init() throws {
        fixture = try LoginProvider.gateway(
            #""issuer": "http://127.0.0.1:9", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret""#
        ) {
            $0["serviceDomains"] = $0["serviceDomains"]?.replacing(
                #"{"MobileServiceDomain": {"#,
                with: #"{"Local": {"applications": {"Own": {"backend": "inventory/1.0"}}}, "MobileServiceDomain": {"#)
        }
    }

    private func home(_ domain: String = "MobileServiceDomain", _ application: String = "DemoApp") throws -> ClientHome
    {
        try ClientHome(
            #""baseUrl": "\#(fixture.url)", "serviceDomain": "\#(domain)", "appName": "\#(application)""#)
    }

    @Test("a provider that the domain does not have is an error, also of a domain with one provider")
    func unknownProvider() throws {
        let said = try home().run("login", "--browser", "--provider", "nosuch")
        #expect(said.ending == .exit(1) && said.output.isEmpty, "\(said)")
        #expect(said.errors.contains(#"has no identity provider "nosuch"; it has outside"#), "\(said.errors)")
        try expect("serviceDomain=MobileServiceDomain&appName=DemoApp&provider=nosuch", "login_unknown_provider")
    }

    @Test("a domain without providers says that its users have passwords")
    func local() throws {
        let home = try home("Local", "Own")
        for provider in [[], ["--provider", "outside"]] {
            let said = try Program.run(
                GatewayProcess.binary, ["client", "login", "--browser"] + provider,
                environment: ["PORTCULLIS_CLIENT_HOME": home.path])
            #expect(said.ending == .exit(1) && said.output.isEmpty, "\(said)")
            #expect(said.errors.contains(#""Local" has no identity provider; log in with user name"#), "\(said.errors)")
        }
        try expect("serviceDomain=Local&appName=Own", "login_without_provider")
        try expect("serviceDomain=Nowhere&appName=Own", "login_unknown_service")
    }

    @Test("a password is refused with the way that the domain has")
    func password() throws {
        let said = try home().run("login", "--user", "joe", input: "Welcome1\n")
        #expect(said.ending == .exit(1) && said.errors.contains("`portcullis client login --browser`"), "\(said)")
        let own = try home("Local", "Own").run("login", "--user", "joe", input: "wrong\n")
        #expect(own.ending == .exit(1) && !own.errors.contains("--browser"), "\(own)")
    }

    /// A browser that an application sends to log in.
    private func expect(_ query: String, _ reason: String) throws {
        let answer = try fixture.request("GET", "/oic_rest/relyingparty?\(query)", ["Accept: text/html"])
        #expect(answer.status == 404, "\(answer.text)")
        let line = fixture.gateway.waitForAccess { $0["request_id"].string == answer.only("X-Request-Id") }
        #expect(line?["reason"].string == reason, "\(query)")
    }
}
