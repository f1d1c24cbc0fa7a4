import Testing

@testable import Model

@Suite struct PageLogoTests {
    private func problem(_ text: String) -> PageLogo.Problem? {
        do throws(PageLogo.Problem) {
            _ = try PageLogo(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("images that browsers draw without running or loading anything")
    func images() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        #expect(try PageLogo(png).address.hasPrefix("data:image/png;base64,iVBOR"))
        #expect(
            problem("\u{FEFF}<?xml version='1.0'?>\n<!-- <script> --><svg viewBox='0 0 1 1'><path d=\"M0 0\"/></svg>")
                == nil)
        #expect(
            problem(##"<svg><style>a{fill:url(#b)}</style><use xlink:href="#b"/><rect fill="url('#b')"/></svg>"##)
                == nil)
        #expect(try PageLogo(Array("<svg/>".utf8)).address == "data:image/svg+xml;base64,PHN2Zy8+")
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
            "<svg><img src='a'/></svg>",
        ])
    func active(_ text: String) {
        guard case .active = problem(text) else {
            Issue.record("\(text): \(String(describing: problem(text)))")
            return
        }
    }

    @Test(arguments: ["", "text", "<html/>", "GIF89a", "<svg fill=a>", "<svg\u{0}/>", "<svg fill='"])
    func otherFormats(_ text: String) { #expect(problem(text) == .unknownFormat) }

    @Test func sizes() {
        let frame = "<svg></svg>"
        let space = String(repeating: " ", count: PageLogo.largest - frame.utf8.count)
        #expect(problem("<svg>\(space)</svg>") == nil)
        #expect(problem("<svg>\(space) </svg>") == .tooLarge)
    }
}
