import Bytes
import Declaration
import Model
import Testing

@testable import Configuration

/// What users may be called.
@Suite struct UserNameTests {
    @Test(arguments: [
        "joe", "joe.example@example.com", "Joe Example", "j\u{f6}rg", "\u{5f20}\u{4e09}", "DOMAIN\\joe",
        "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}", String(repeating: "a", count: 256),
        String(repeating: "\u{e9}", count: 128),
    ])
    func good(_ name: String) throws {
        #expect(UserName.problem(name) == nil)
        let directory = try ConfigurationDirectory(["users.json": "[{\"username\": \"\(name.json)\"}]"])
        let loaded = directory.load()
        #expect(loaded.configuration?.users.first?.username == name, "\(loaded.diagnostics)")
        #expect(!loaded.diagnostics.contains { $0.pointer == "/users/0/username" })
    }

    @Test(arguments: ["", " ", "   ", " joe", "joe "])
    func blanks(_ name: String) throws {
        #expect(UserName.problem(name) == .blanks)
        try refused(name)
    }

    @Test(
        "control characters, marks of direction, no-break and other odd spaces, and what cannot be seen",
        arguments: [
            0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x85, 0xA0, 0xAD, 0x61C, 0x1680, 0x2003, 0x2007, 0x200B, 0x200E, 0x200F,
            0x2028,
            0x2029, 0x202A, 0x202E, 0x202F, 0x2060, 0x2066, 0x2069, 0x3000, 0xFEFF, 0xE0041, 0x34F,
            0x115F, 0x17B4, 0x2065, 0x2800, 0x3164, 0xFE0F, 0xFFA0, 0xFFFC, 0xE0100,
        ])
    func invisible(_ code: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(code))
        for name in ["jo\(Character(scalar))e", "\(Character(scalar))joe", "joe\(Character(scalar))"] {
            #expect(UserName.problem(name) == .invisible(scalar))
            try refused(name)
        }
    }

    @Test("joiners stand within a name, and not at its ends")
    func joiners() throws {
        for joiner in ["\u{200c}", "\u{200d}"] as [Unicode.Scalar] {
            #expect(UserName.problem("\u{645}\u{6CC}\(Character(joiner))\u{62E}") == nil)
            #expect(UserName.problem("jo\(Character(joiner))e") == .invisible(joiner))
            #expect(UserName.problem("\u{1EC5}\(Character(joiner))\u{1EC5}") == .invisible(joiner))
            #expect(UserName.problem("\u{645}\(Character(joiner))\(Character(joiner))\u{62E}") == .invisible(joiner))
            #expect(UserName.problem("\(Character(joiner))joe") == .invisible(joiner))
            #expect(UserName.problem("joe\(Character(joiner))") == .invisible(joiner))
        }
    }

    private func refused(_ name: String) throws {
        let directory = try ConfigurationDirectory(["users.json": "[{\"username\": \"\(name.json)\"}]"])
        #expect(directory.load().lines(.error).contains { $0.contains("/users/0/username: ") })
    }

    @Test("one that is only too long is taken with a warning, so that it can be removed")
    func tooLong() throws {
        for name in [String(repeating: "a", count: 257), String(repeating: "\u{e9}", count: 129)] {
            #expect(UserName.problem(name) == .tooLong)
            let loaded = try ConfigurationDirectory(["users.json": "[{\"username\": \"\(name)\"}]"]).load()
            #expect(loaded.configuration?.users.first?.username == name)
            #expect(loaded.lines(.warning).contains { $0.contains("the user name is too long") })
        }
    }
}

extension String {
    /// Inside of a JSON string, everything beyond printable ASCII escaped.
    fileprivate var json: String {
        utf16.map { unit in
            let digits = String(unit, radix: 16)
            return (0x20...0x7e).contains(unit) && unit != 0x22 && unit != 0x5c
                ? String(UnicodeScalar(UInt8(unit))) : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
