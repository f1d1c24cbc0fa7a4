import Testing

@testable import Gateway

/// Lines of the logs on a terminal.
@Suite struct LogTextTests {
    private static func text(_ lines: String, hasColour: Bool = false) -> String {
        String(decoding: LogText(hasColour: hasColour).text(of: Array(lines.utf8)), as: UTF8.self)
    }

    @Test func events() {
        let line =
            #"{"time":1796064296.007,"level":"warning","event":"reload_failed","detail":"no file","count":2,"names":["a","b"]}"#
        #expect(
            Self.text(line + "\n")
                == "2026-11-30T18:44:56.007Z WARNING reload_failed detail=\"no file\" count=2 names=[\"a\",\"b\"]\n")
        let coloured = Self.text(line + "\n", hasColour: true)
        #expect(coloured.contains("\u{1b}[33mWARNING\u{1b}[m \u{1b}[1mreload_failed\u{1b}[m \u{1b}[2mdetail=\u{1b}[m"))
    }

    @Test func requests() {
        let line = #"{"time":1796064296.120,"request_id":"1f","method":"GET","path":"/a","status":200,"route":""}"#
        #expect(Self.text(line + "\n" + line + "\n").split(separator: "\n").count == 2)
        #expect(Self.text(line + "\n") == "2026-11-30T18:44:56.120Z 200 GET /a request_id=1f route=\"\"\n")
    }

    @Test("no value can end a line, look like another one, or control the terminal")
    func hostile() {
        let line = #"{"event":"x","a":"1 b=2","c":"\u001b[2J\u009b1m\nd\"","e":"\u202e","f":"\u0085"}"#
        let text = Self.text(line + "\n")
        #expect(text.unicodeScalars.filter { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) }.count == 1)
        #expect(
            text.contains(#"a="1 b=2""#) && text.contains(#"\u001b[2J\u009b1m\nd\""#) && text.contains(#"e=\u202e"#))
    }

    @Test func otherLinesStay() {
        #expect(Self.text("no JSON\n[1]\n") == "no JSON\n[1]\n")
    }
}
