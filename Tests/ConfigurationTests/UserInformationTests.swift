import Bytes
import Configuration
import Declaration
import Foundation
import Testing

/// Messages about malformed URLs show no user information.
@Suite struct UserInformationTests {
    private static let complete = ValidConfigurationTests.root.appending(path: "Tests/Fixtures/configuration/complete")

    private static let secrets = [
        "https://user:s3cret@host.example/x", "https://s3cret@host.example", "redis://:s3cret@host.example:6379",
        "rediss://default:s3cret/s3cret?s3cret#s3cret@host.example", "user:s3cret@host.example",
        "https:/user:s3cret@host.example", "https://user:s3cret\\\"s3cret s3cret@host.example",
        "https://user:s3cret%40host.example", "https://user:s3cret@s3cret@host.example:x",
        "https://user:" + String(repeating: "s3cret", count: 20) + "@host.example",
        "https://host.example, https://user:s3cret@host.example/",
    ]

    /// Replaces the URLs of a file, all at once.
    private func diagnostics(_ file: String, _ url: String) throws -> [Diagnostic] {
        var base: [String: String] = [:]
        for name in RobustnessTests.files + ["identityProviders", "applications", "serviceDomains"] {
            base["\(name).json"] = try String(
                contentsOf: Self.complete.appending(path: "\(name).json"), encoding: .utf8)
        }
        let text = try #require(base["\(file).json"])
        base["\(file).json"] = text.replacing(/"[a-z]+:\/\/[^"]*"/, with: "\"\(url)\"")
        return try ConfigurationDirectory([:], on: base).load(["ADMIN_TOKEN": "x"], production: true).diagnostics
    }

    private static let members = [
        ("gateway", ["/baseUrl", "/additionalBaseUrls/0", "/policyServers/authz/url", "/store/url"]),
        ("backends", ["/redirectUris/0", "/facebook/verifyUrl"]), ("applications", ["/facebook/verifyUrl"]),
        ("identityProviders", ["/discoveryUri", "/authorizationEndpoint", "/tokenEndpoint", "/singleSignOnUrl"]),
        ("policies", ["/Security_AllowOrigin"]),
        ("trustedIssuers", ["/jwksUri", "/introspection/url"]),
        ("routes", ["/allowOrigin"]), ("serviceDomains", ["/redirectUris/0"]),
    ]

    @Test("a name that is a URL, in the place of a finding")
    func names() throws {
        let text = #"{"upstreams": {"https://user:s3cret@api.example": {"url": 1}}}"#
        let found = try ConfigurationDirectory(["gateway.json": text]).load([:]).diagnostics
        #expect(found.contains { $0.pointer.hasPrefix("/upstreams/***@api.example") })
        #expect(!found.contains { "\($0)\($0.pointer)".contains("s3cret") })
    }

    @Test("each section with URLs, each form of a secret", arguments: members)
    func sections(_ file: String, _ members: [String]) throws {
        var reported: Set<String> = []
        for secret in Self.secrets {
            for diagnostic in try diagnostics(file, secret) {
                #expect(!diagnostic.description.contains("s3cret"), "\(diagnostic)")
                reported.insert(diagnostic.pointer)
            }
        }
        for member in members {
            #expect(reported.contains { $0.hasSuffix(member) }, "\(member): \(reported.sorted())")
        }
    }

    @Test(
        "what is not a secret stays",
        arguments: [
            ("https://a@b.example", "https://***@b.example"), ("joe@example.com", "joe@example.com"),
            ("https://host.example:x/", "https://host.example:x/"),
        ])
    func others(_ value: String, _ shown: String) throws {
        let gateway = ConfigurationDirectory.gateway("\"additionalBaseUrls\": [\"\(value)\"]")
        let found = try ConfigurationDirectory(["gateway.json": gateway]).load().diagnostics.compactMap(\.found)
        #expect(found == ["\"\(shown)\""])
    }
}
