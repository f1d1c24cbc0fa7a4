import Bytes
import Testing

@testable import portcullis

/// Lists as tables.
@Suite struct ListingTests {
    private static func table(_ rows: String, hasColour: Bool = false) throws -> [String] {
        Listing.table(try JSONNode.parse(Array(rows.utf8).span).array ?? [], hasColour: hasColour)
    }

    @Test func columns() throws {
        let rows =
            #"[{"id":"a","roles":["x","y"]},{"id":"long one","enabled":true,"at":1796064296},{"id":null,"n":{"b":1}}]"#
        #expect(
            try Self.table(rows) == [
                "id        roles  enabled  at                    n",
                "a         x,y",
                "long one         true     2026-11-30T18:44:56Z",
                #"                                                {"b":1}"#,
            ])
        #expect(try Self.table(rows, hasColour: true)[0].hasPrefix("\u{1b}[1mid "))
    }

    @Test("a long value is cut, and none controls the terminal")
    func values() throws {
        let rows = #"[{"a":"\#(String(repeating: "ä", count: 60))","b":"\u001b]0;x\u0007\n\u009b"}]"#
        let line = try Self.table(rows)[1]
        #expect(line == String(repeating: "ä", count: 47) + #"…  \u001b]0;x\u0007 \u009b"#)
    }
}
