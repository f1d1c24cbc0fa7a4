import Testing

@testable import Model

@Suite struct PageLogoTests {
    private static let root = #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#

    /// The image with the namespaces at its root.
    private static func drawn(_ text: String) -> String { text.replacing("<svg", with: root) }

    private static func chunk(_ type: String, _ length: UInt8) -> [UInt8] {
        [0, 0, 0, length] + Array(type.utf8) + [UInt8](repeating: 0, count: Int(length) + 4)
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private func problem(_ text: String) -> PageLogo.Problem? {
        problem(Array(text.utf8))
    }

    private func problem(_ bytes: [UInt8]) -> PageLogo.Problem? {
        do throws(PageLogo.Problem) {
            _ = try PageLogo(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("images that browsers draw without running or loading anything")
    func images() throws {
        let png = Self.signature + Self.chunk("IHDR", 13) + Self.chunk("IDAT", 9) + Self.chunk("IEND", 0)
        #expect(try PageLogo(png).address.hasPrefix("data:image/png;base64,iVBOR"))
        for text in [
            "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<!-- <script> --><svg viewBox='0 0 1 1'><path d=\"M0 0\"/></svg>",
            ##"<svg><style>a{fill:url(#b)}</style><use xlink:href="#b"/><rect fill="url('#b')"/></svg>"##,
            "<svg xmlns:cc='http://creativecommons.org/ns#'><metadata><cc:Work _a='>'/></metadata></svg >\n<!-- a -->",
            "<svg><title>A &amp; B</title><g\u{E9}/></svg>",
        ] { #expect(problem(Self.drawn(text)) == nil, "\(text)") }
        #expect(
            try PageLogo(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)).address
                == "data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4=")
    }

    @Test("PNG images that were cut off are refused")
    func parts() {
        let (head, data, end) = (Self.chunk("IHDR", 13), Self.chunk("IDAT", 9), Self.chunk("IEND", 0))
        for parts in [
            head, head + data, head + end, data + end, head + data.dropLast() + end, head + data + end.dropLast(), [],
            Self.chunk("IHDR", 12) + data + end, head + head + data + end,
        ] { #expect(problem(Self.signature + parts) == .undrawable("a part of the PNG file is missing")) }
    }

    @Test(
        "SVG images that browsers do not draw are refused",
        arguments: [
            "<svg><g></svg>", "<svg></g></svg>", "<svg>", "<svg></SVG>", "<svg/><svg/>", "<svg/>text", "<svg fill=a/>",
            "<svg fill='", "<svg fill/>", "<svg fill='a'id='b'/>", "<svg id='a' id='b'/>", "<svg id='<'/>",
            "<svg>&nbsp;</svg>", "<svg>a & b</svg>", "<svg><x:y/></svg>".replacing("x:y", with: "cc:Work"),
            "<svg><g :a='b'/></svg>", "<svg><!-- a -- b --></svg>", "<svg><!-- a </svg>", "<svg>\u{1}</svg>",
            "<?xml version='1.0' encoding='ISO-8859-1'?><svg/>", "<?xml version='1.0' encoding=\"UTF-7\"?><svg/>",
            "<?xml?><svg/>".replacing("?><", with: " ?><"), "<svg/", "<svg", "<",
        ])
    func undrawn(_ text: String) {
        guard case .undrawable = problem(Self.drawn(text)) else {
            Issue.record("\(text): \(String(describing: problem(Self.drawn(text))))")
            return
        }
    }

    @Test(arguments: ["<svg/>", "<svg xmlns=''/>", "<svg xmlns='http://www.w3.org/1999/svg'><g/></svg>"])
    func namespaces(_ text: String) {
        #expect(problem(text) == .undrawable(#"its root has no xmlns="http://www.w3.org/2000/svg""#))
    }

    @Test(
        "images that could run or load something are refused",
        arguments: [
            "<svg><script/></svg>", "<svg><SCRIPT>1</SCRIPT></svg>", "<svg><x:script/></svg>", "<svg onload='a'/>",
            "<svg><g onclick = \"a\"/></svg>", "<svg><foreignObject/></svg>", "<svg><image href='#a'/></svg>",
            "<svg><use href='https://a.example/#b'/></svg>", "<svg><use xlink:href='data:image/svg+xml,a'/></svg>",
            "<svg><a href='javascript:alert(1)'/></svg>", "<svg><style>@import 'a';</style></svg>",
            "<svg><rect fill='url(https://a.example/)'/></svg>", "<svg><rect fill='url( \"//a.example\")'/></svg>",
            "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "<?xml-stylesheet href='a'?><svg/>", "<svg><![CDATA[a]]></svg>",
            "<svg><set attributeName='href'/></svg>", "<svg><g xml:base='https://a.example'/></svg>",
            "<svg><style>a{fill:\\75rl(a)}</style></svg>", "<svg><rect fill='&#117;rl(a)'/></svg>",
            "<svg><img src='a'/></svg>", "<svg _='>' onload='a'/>", "<svg \u{E9}='>' onload='a'/>",
            "<svg xmlns:cc='http://www.w3.org/2000/svg'><cc:script/></svg>", "<svg><_:script/></svg>",
            "<svg><\u{E9}:script/></svg>", "<svg><g _:href='https://a.example'/></svg>", "<svg><discard/></svg>",
            "<svg><animateColor/></svg>", "<svg><style>a{fill:src(\"https://a.example/\")}</style></svg>",
            "<svg><style>@imp<!-- -->ort 'a'</style></svg>", "<svg><style>@imp<g/>ort 'a'</style></svg>",
            "<svg><g xmlns='http://www.w3.org/1999/xhtml'/></svg>", "<!-- --> <?xml version='1.0'?><svg/>",
        ])
    func active(_ text: String) {
        guard case .active = problem(Self.drawn(text)) else {
            Issue.record("\(text): \(String(describing: problem(Self.drawn(text))))")
            return
        }
    }

    @Test(arguments: ["", "text", "<html/>", "GIF89a", "<svg\u{0}/>", "text <svg/>", "<SVG/>", "<g><svg/></g>"])
    func otherFormats(_ text: String) { #expect(problem(text) == .unknownFormat) }

    @Test func sizes() {
        let frame = Self.drawn("<svg></svg>")
        let space = String(repeating: " ", count: PageLogo.largest - frame.utf8.count)
        #expect(problem(Self.drawn("<svg>\(space)</svg>")) == nil)
        #expect(problem(Self.drawn("<svg>\(space) </svg>")) == .tooLarge)
    }
}
