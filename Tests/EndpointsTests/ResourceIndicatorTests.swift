import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer
import TestSupport
import Testing
import TokenStorage

/// Access tokens for resources (RFC 8707), of the grants without a browser.
@Suite struct ResourceIndicatorTests {
    private static let (tools, reports) = ("https://gw.example.com/mcp", "https://gw.example.com/reports")
    private static let others = ["https://api.example.org/v1?a=b", "urn:example:ledger"]
    private static let exchange =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
        + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"

    private func standards(_ change: @escaping (inout Client) -> Void = { _ in }) -> Standards {
        Standards {
            $0.clients = Standards.clients(change)
            $0.resources = ResourceIndicators(
                routes: [Self.tools, Self.reports, Self.tools, "https://root.example.com"], others: Self.others)
        }
    }

    /// Parameters of a request.
    private static func form(_ resources: String...) -> String {
        resources.map { text in
            "&resource=" + text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }.joined()
    }

    private func audience(_ response: EndpointResponse, _ first: String = tools) throws -> [String] {
        #expect(response.status == 200, "\(response.reasonText)")
        return try response.claims(audience: first).audience
    }

    @Test("the token is for the resources and nothing else, and without one for the gateway as a whole")
    func audiences() throws {
        let standards = standards()
        for grant in ["grant_type=client_credentials", "grant_type=password&username=joe&password=Welcome1"] {
            #expect(try audience(standards.grant(grant + Self.form(Self.tools))) == [Self.tools])
            let both = standards.grant(grant + Self.form(Self.tools, Self.reports, Self.tools))
            #expect(try audience(both) == [Self.tools, Self.reports])
            let other = standards.grant(grant + Self.form(Self.others[1]))
            #expect(try audience(other, Self.others[1]) == [Self.others[1]])
            #expect(try audience(standards.grant(grant), Service.baseURL) == [Service.baseURL])
            // An empty value counts as absent.
            #expect(try audience(standards.grant(grant + "&resource="), Service.baseURL) == [Service.baseURL])
        }
    }

    @Test(
        "a URL is the resource however it is written",
        arguments: [
            ("https://GW.example.com/mcp", tools), ("https://gw.example.com:443/mcp", tools),
            ("https://root.example.com/", "https://root.example.com"),
            ("https://root.example.com", "https://root.example.com"),
        ])
    func spellings(_ text: String, _ name: String) throws {
        let response = standards().grant("grant_type=client_credentials" + Self.form(text))
        #expect(try audience(response, name) == [name])
    }

    @Test(
        "unknown resources, relative ones and those with a fragment are refused",
        arguments: [
            "https://gw.example.com/other", "https://gw.example.com/mcp/", "https://gw.example.com/mcp/tool",
            "https://gw.example.com/MCP", "https://gw.example.com/mcp?x", "https://gw.example.com/mcp#x",
            "https://gw.example.com/mcp#", "http://gw.example.com/mcp", "https://user@gw.example.com/mcp", "/mcp",
            "mcp", "//gw.example.com/mcp", "https://gw.example.com", "urn:example:Ledger", "https://api.example.org/v1",
            " https://gw.example.com/mcp",
        ])
    func unknown(_ text: String) throws {
        let standards = standards()
        for form in [Self.form(text), Self.form(Self.tools, text)] {
            for grant in ["grant_type=client_credentials", "grant_type=password&username=joe&password=Welcome1"] {
                let response = standards.grant(grant + form)
                #expect(response.status == 400 && response.error == "invalid_target")
            }
        }
        let login = standards.login()
        let exchanged = standards.grant("\(Self.exchange)&subject_token=\(login.accessToken ?? "")\(Self.form(text))")
        #expect(exchanged.error == "invalid_target")
    }

    @Test("a request has few resources, and any other parameter once")
    func repeated() {
        let standards = standards()
        let many = String(repeating: Self.form(Self.tools), count: 17)
        #expect(standards.grant("grant_type=client_credentials\(many)").error == "invalid_target")
        let twice = standards.grant("grant_type=client_credentials&scope=a&scope=b" + Self.form(Self.tools))
        #expect(twice.error == "invalid_request")
    }

    @Test("a client with an audience of its own gets resources of that alone, and one with a module's tokens none")
    func clients() throws {
        let limited = standards { $0.grants.audience = [Self.reports, "billing"] }
        let grant = "grant_type=client_credentials"
        #expect(try audience(limited.grant(grant + Self.form(Self.reports)), Self.reports) == [Self.reports])
        #expect(limited.grant(grant + Self.form(Self.tools)).error == "invalid_target")
        #expect(limited.grant(grant + Self.form("billing")).error == "invalid_target")
        #expect(standards { $0.issuer = "module" }.grant(grant + Self.form(Self.tools)).error == "invalid_target")
    }

    @Test("a refresh token gives tokens for what was granted or a part of it")
    func refresh() throws {
        let standards = standards()
        var login = standards.login(Self.form(Self.tools, Self.reports))
        for (form, expected) in [
            (Self.form(Self.reports), [Self.reports]), (Self.form(Self.tools), [Self.tools]),
            ("", [Self.tools, Self.reports]),
        ] {
            login = standards.refresh(login.refreshToken, form)
            #expect(try audience(login, expected[0]) == expected)
        }
        for text in [Self.others[1], "https://gw.example.com/other"] {
            #expect(standards.refresh(login.refreshToken, Self.form(Self.tools, text)).error == "invalid_target")
        }
        // A refusal uses nothing up.
        #expect(standards.refresh(login.refreshToken).status == 200)
        // A login without resources was for the gateway.
        let plain = standards.login()
        #expect(standards.refresh(plain.refreshToken, Self.form(Self.tools)).error == "invalid_target")
        #expect(try audience(standards.refresh(plain.refreshToken), Service.baseURL) == [Service.baseURL])
    }

    @Test("resources that are gone are left out of renewed tokens, and the last one ends them")
    func withdrawn() throws {
        let store = MemoryTokenStore()
        func standards(_ routes: [String]) -> Standards {
            Standards(store: store) { $0.resources = ResourceIndicators(routes: routes) }
        }
        let login = standards([Self.tools, Self.reports]).login(Self.form(Self.tools, Self.reports))
        let renewed = standards([Self.tools]).refresh(login.refreshToken)
        #expect(try audience(renewed) == [Self.tools])
        #expect(
            standards([Self.tools]).refresh(renewed.refreshToken, Self.form(Self.reports)).error == "invalid_target")
        #expect(standards([]).refresh(renewed.refreshToken).error == "invalid_target")
        let again = standards([Self.tools, Self.reports]).refresh(renewed.refreshToken)
        #expect(try audience(again) == [Self.tools, Self.reports])
    }

    @Test("an exchanged token is for resources of routes, or for those that the client's rules list")
    func exchange() throws {
        let standards = standards()
        let subject = "\(Self.exchange)&subject_token=\(standards.login().accessToken ?? "")"
        let tools = standards.grant(subject + Self.form(Self.tools))
        #expect(try audience(tools) == [Self.tools])
        #expect(
            try audience(standards.grant(subject + Self.form(Self.tools, Self.reports))) == [Self.tools, Self.reports])
        let listed = "https://billing.example.com"
        #expect(try audience(standards.grant(subject + Self.form(listed)), listed) == [listed])
        let mixed = standards.grant(subject + Self.form(Self.tools, listed))
        #expect(Set(try audience(mixed)) == [Self.tools, listed])
        for form in [
            Self.form(Self.others[1]), Self.form(Self.tools, Self.others[1]),
            Self.form(Self.tools) + "&audience=scheduler%2F1.0", Self.form(Self.tools, "scheduler/1.0"),
        ] {
            #expect(standards.grant(subject + form).error == "invalid_target", "\(form)")
        }
        // A token for a resource proves nothing here.
        let limited = "\(Self.exchange)&subject_token=\(tools.accessToken ?? "")"
        for form in ["", Self.form(Self.tools), Self.form(Self.reports)] {
            #expect(standards.grant(limited + form).reasonText == "subject_token_invalid")
        }
    }

    @Test("the metadata name the resources")
    func metadata() throws {
        func document(_ service: TokenService) -> EndpointResponse {
            service.answer(
                EndpointRequest(method: .get, path: "/.well-known/oauth-authorization-server"), .metadata)
        }
        let expected = [Self.tools, Self.reports, "https://root.example.com"] + Self.others
        #expect(document(standards().service).json?["protected_resources"]?.texts == expected)
        #expect(document(Service.service()).json?["protected_resources"] == nil)
    }
}
