import Foundation
import Testing

/// Keys of what clients carry, changed under a running gateway (DEC-12).
@Suite struct SealingKeyTests {
    private static func key(_ seed: UInt8) -> String { Data(repeating: seed, count: 32).base64EncodedString() }

    /// In the configuration, or one a line in a file.
    enum Place: CaseIterable {
        case list, file

        /// The section `challenge`.
        func section(_ keys: [UInt8]) -> String {
            let list = keys.map { "\"\(SealingKeyTests.key($0))\"" }.joined(separator: ", ")
            return self == .list ? "{\"key\": [\(list)]}" : #"{"keyFile": "sealing.key"}"#
        }

        func file(_ keys: [UInt8]) -> String { keys.map { SealingKeyTests.key($0) + "\n" }.joined() }
    }

    @Test(
        "a new sealing key logs no one out; removing the old one invalidates what it sealed",
        arguments: Place.allCases)
    func rotation(_ place: Place) throws {
        let fixture = try Fixture(files: ["sealing.key": place.file([1])]) {
            BrowserFixture.prepare(&$0)
            $0["challenge"] = place.section([1])
        }
        func change(to keys: [UInt8]) throws {
            try fixture.gateway.configuration.write("sealing.key", place.file(keys))
            try fixture.reload {
                BrowserFixture.prepare(&$0)
                $0["challenge"] = place.section(keys)
            }
        }
        let (early, typing) = (CookieJar(fixture.gateway), CookieJar(fixture.gateway))
        try early.logIn()
        let form = try #require(typing.send("GET", "/mobileapp?page=2").only("Location"))
        let page = try typing.send("GET", form)
        try change(to: [2, 1])
        #expect(try early.send("GET", "/mobileapp").status == 200)
        let done = try typing.fill(page, form, "username=joe&password=Welcome1")
        #expect(done.status == 303 && done.only("Location") == "/mobileapp?page=2")
        try change(to: [2])
        #expect(try early.send("GET", "/mobileapp").status == 302, "sealed with the old key")
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "session_invalid" } != nil)
        #expect(try typing.send("GET", "/mobileapp").status == 200, "sealed with the new one")
    }
}
