import Bytes
import ClientStore
import Foundation
import TestSupport
import Testing

@testable import PortcullisClient

/// OMS-02, OMH-08, AGT-05.
@Suite struct ClientProfileTests {
    private func read(_ text: String) throws(ClientError) -> ClientProfile {
        try ClientProfile(json: Array(text.utf8))
    }

    private func failure(_ text: String) -> ClientError? {
        do throws(ClientError) {
            _ = try read(text)
            return nil
        } catch { return error }
    }

    @Test(
        "OMS-02: a URL, or host, port and isSSL",
        arguments: [
            (#"{"baseUrl": "https://gw.example.com/"}"#, "https://gw.example.com"),
            (#"{"baseUrl": "HTTPS://GW.example.com:443/api/"}"#, "https://gw.example.com/api"),
            (#"{"baseUrl": "http://127.0.0.1:8080"}"#, "http://127.0.0.1:8080"),
            (#"{"host": "oam.example.com", "port": 14101, "isSSL": true}"#, "https://oam.example.com:14101"),
            (#"{"host": "oam.example.com", "port": 14100, "isSSL": false}"#, "http://oam.example.com:14100"),
            (#"{"host": "::1", "port": 80, "isSSL": false}"#, "http://[::1]"),
            (#"{"host": "oam.example.com", "port": 443}"#, "https://oam.example.com"),
        ])
    func base(_ text: String, _ expected: String) throws { #expect(try read(text).baseURL == expected) }

    @Test(
        "OMS-02: what is wrong is named",
        arguments: [
            ("{}", ClientError.Code.missingProperty, "/baseUrl"), (#"{"host": "a"}"#, .missingProperty, "/port"),
            (#"{"baseUrl": "ftp://a"}"#, .unsupportedScheme, "ftp://a"),
            (#"{"baseUrl": "gw.example.com"}"#, .invalidURL, "gw.example.com"),
            (#"{"baseUrl": "http://a@b"}"#, .invalidURL, "a@b"), (#"{"baseUrl": "http://a/#b"}"#, .invalidURL, "#b"),
            (#"{"baseUrl": "http://a:0"}"#, .invalidURL, "a:0"), (#"{"baseUrl": "http://a?b"}"#, .invalidURL, "query"),
            (#"{"baseUrl": "http://a", "host": "b"}"#, .invalidProfile, "/host"),
            (#"{"baseUrl": "http://a", "clientSekret": "x"}"#, .invalidProfile, "/clientSekret: unknown member"),
            (#"{"baseUrl": "http://a", "clientSecret": 5}"#, .invalidProfile, "/clientSecret: expected a text"),
            (#"{"baseUrl": "http://a", "port": 70000}"#, .invalidProfile, "/port: expected an integer from 1 to 65535"),
            (#"{"baseUrl": "http://a", "cryptoScheme": "MD5"}"#, .invalidProfile, "/cryptoScheme: expected one of"),
            (#"{"baseUrl": "http://a", "hosts": ["b"]}"#, .invalidURL, "\"b\" is no absolute URL"),
            (#"{"baseUrl": "http://a", "baseUrl": "http://b"}"#, .invalidProfile, "client.json"),
            (#"{"profiles": {"a": {"baseUrl": "http://a"}}}"#, .missingProperty, "/baseUrl"),
            ("[]", .invalidProfile, "expected an object"), ("{", .invalidProfile, "client.json"),
        ])
    func wrong(_ text: String, _ code: ClientError.Code, _ mentioned: String) throws {
        let error = try #require(failure(text))
        #expect(error.code == code)
        #expect(error.domain == .profile)
        #expect(error.description.contains(mentioned), "\(error)")
    }

    @Test(
        "FB-09: errors of profiles by name are reported with their place",
        arguments: [
            (#"{"profiles": 1}"#, "a", "/profiles: expected an object"),
            (#"{"profiles": {"a": 1}}"#, "a", "/profiles/a: expected a profile"),
            (#"{"profiles": {"../a": {"baseUrl": "http://a"}}}"#, "a", "/profiles/../a: expected a profile by a name"),
            (#"{"profiles": {"a": {}}, "baseUrl": "http://a"}"#, "a", "/baseUrl: unknown member beside /profiles"),
            (#"{"profiles": {"a": {"port": "x", "baseUrl": "http://a"}}}"#, "a", "/profiles/a: /port: expected"),
            (#"{"profiles": {"b": {"baseUrl": "http://a"}}}"#, nil, #"no profile "default" (there are: b)"#),
            (#"{"baseUrl": "http://a"}"#, "a", "has no /profiles"),
        ])
    func wrongProfiles(_ text: String, _ name: String?, _ mentioned: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/client.json"
        try Data(text.utf8).write(to: URL(filePath: file))
        let error = #expect(throws: ClientError.self) { try ClientProfile(file: file, named: name) }
        #expect(error?.description.contains(mentioned) == true, "\(error?.description ?? "")")
    }

    @Test("OMH-08: every key, its usual value, and the same text again")
    func keys() throws {
        let plain = try read(#"{"baseUrl": "http://a"}"#)
        #expect(plain.userAgent == "OAMMS-Agent")
        #expect(plain.oauthTokenEndpoint == "/oauth2/token")
        let text = """
            {"$schema": "schema/client.schema.json", "baseUrl": "https://a", "backendName": "b", "backendVersion": "1.0",
             "mobileBackendId": "m", "anonymousKey": "k", "clientId": "c", "clientSecret": "s",
             "oauthTokenEndpoint": "/t", "ssoTokenEndpoint": "/s", "jwtTokenEndpoint": "/j", "userAgent": "U",
             "serviceDomain": "D", "appName": "A", "hosts": ["https://h:8443"], "caFile": "/ca.pem",
             "timeoutSeconds": 5, "sessionTimeout": 600, "idleTimeout": 0, "maxLoginAttempts": 3,
             "offlineAuthentication": true, "cryptoScheme": "SaltedSHA-512", "identityProvider": "facebook", "appId": "42",
             "apiomatApp": "testApp", "apiKey": "123", "system": "TEST"}
            """
        let profile = try read(text)
        #expect(profile.settings.maxLoginAttempts == 3)
        #expect(profile.settings.offlineAuthentication == true)
        #expect(profile.hosts == ["https://h:8443"])
        #expect(profile.identityProvider == "facebook" && profile.appID == "42")
        #expect(profile.apiomatApp == "testApp" && profile.apiKey == "123" && profile.system == "TEST")
        #expect(try ClientProfile(json: profile.json) == profile)
        #expect(profile.url("/x") == "https://a/x")
        #expect(profile.url("https://else/x") == "https://else/x")
    }

    // oam-wire 4
    @Test("AGT-05: a link that configures")
    func configuring() throws {
        let link = "app://x?oamconfig=true&host=oam.example.com&port=14101&servicedomain=Mobile&SSL=TRUE&appname=Demo"
        let profile = try ClientProfile(configuring: link)
        #expect(profile.baseURL == "https://oam.example.com:14101")
        #expect(profile.serviceDomain == "Mobile")
        #expect(profile.appName == "Demo")
    }

    @Test("AGT-05: what the link does not say stays for the same server, and no secret goes to another one")
    func configuringAgain() throws {
        let same = "app://?oamconfig=true&host=gw.example.com&port=443&SSL=TRUE&servicedomain=Other"
        let kept = try ClientProfile(configuring: same, previous: Fixture.profile)
        #expect(kept.clientSecret == "s:cret")
        #expect(kept.serviceDomain == "Other")
        let other = "app://?oamconfig=true&host=evil.example.com&port=443&SSL=TRUE"
        var previous = Fixture.profile
        (previous.timeoutSeconds, previous.userAgent, previous.caFile) = (7, "Mine/1.0", "/ca.pem")
        previous.settings.cryptoScheme = "SaltedSHA-512"
        (previous.oauthTokenEndpoint, previous.hosts) = ("https://gw.example.com/t", ["https://api.example.com"])
        let fresh = try ClientProfile(configuring: other, previous: previous)
        #expect(fresh.timeoutSeconds == 7 && fresh.userAgent == "Mine/1.0" && fresh.caFile == "/ca.pem")
        #expect(fresh.settings == previous.settings)
        #expect(fresh.oauthTokenEndpoint == "/oauth2/token" && fresh.hosts.isEmpty)
        #expect(fresh.clientID == nil && fresh.anonymousKey == nil && fresh.apiKey == nil)
        #expect(fresh.clientSecret == nil)
        #expect(fresh.serviceDomain == nil)
    }

    @Test(
        "AGT-05: the file keeps its schema",
        arguments: [#""baseUrl": "https://a""#, #""profiles": {"default": {"baseUrl": "https://a"}}"#])
    func keptSchema(_ members: String) throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/client.json"
        try Data(#"{"$schema": "x.json", \#(members)}"#.utf8).write(to: URL(filePath: file))
        let text = try ClientProfiles.text(putting: ClientProfile(baseURL: "https://b"), named: nil, into: file)
        let written = try JSONNode.parse(text.span)
        #expect(written["$schema"]?.string == "x.json" && written.members?.count == 2)
        try Data(text).write(to: URL(filePath: file))
        #expect(try ClientProfile(file: file).baseURL == "https://b")
    }

    @Test(
        "AGT-05: links that configure nothing",
        arguments: [
            "app://x?x=1&oamconfig=true&host=a&port=1&SSL=TRUE", "app://x?oamconfig=true",
            "app://x?OAMCONFIG=true&host=a",
            "app://x?oamconfig=TRUE&host=a&port=1&SSL=TRUE", "app://x", "oamconfig=true&host=a&port=1&SSL=TRUE",
            "app://x?oamconfig=true&host=a&host=b&port=1&SSL=TRUE", "app://x?oamconfig=true&host=a&port=1",
            "app://x?oamconfig=true&host=a&port=1&SSL=perhaps", "app://x?oamconfig=true&port=1&SSL=TRUE",
            "app://x?oamconfig=true&host=a&SSL=TRUE", "app://x?oamconfig=true&host=a%2Fb&port=1&SSL=TRUE",
            "app://x?oamconfig=true&host=a&port=1%2Fb&SSL=TRUE", "app://x?oamconfig=true&host=a%40b&port=1&SSL=TRUE",
        ])
    func notConfiguring(_ link: String) {
        #expect(throws: ClientError.self) { try ClientProfile(configuring: link) }
    }
}
