import Bytes

/// How values are written into a text, so that they stay values there. Bytes that are no UTF-8 are replaced.
package enum ErrorEscaping: Sendable {
    /// Text and quoted attributes of HTML and XML.
    case markup
    /// Strings of JSON.
    case json
    /// Text that nothing interprets.
    case plain
    /// The query of a URL: unreserved characters alone (RFC 3986 section 2.3).
    case url

    /// By the type of a body; nil for a type into which no value can be written safely.
    package init?(contentType: String) {
        let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        switch type {
        case "text/html", "text/xml", "application/xml": self = .markup
        case "application/json": self = .json
        case "text/plain": self = .plain
        case _ where type.hasSuffix("+xml"): self = .markup
        case _ where type.hasSuffix("+json"): self = .json
        default: return nil
        }
    }

    package func append(_ text: String, to output: inout [UInt8]) {
        switch self {
        case .markup: for byte in text.utf8 { ErrorEscaping.appendMarkup(byte, to: &output) }
        case .json: for byte in text.utf8 { ErrorEscaping.appendJSON(byte, to: &output) }
        case .plain:
            for byte in text.utf8 {
                if isControl(byte) { output += replacement } else { output.append(byte) }
            }
        case .url:
            for byte in text.utf8 {
                if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
                    output.append(byte)
                } else {
                    output += [ASCII.percent, hexadecimal(byte >> 4), hexadecimal(byte & 15)]
                }
            }
        }
    }

    private static func appendMarkup(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): output += "&amp;".utf8
        case UInt8(ascii: "<"): output += "&lt;".utf8
        case UInt8(ascii: ">"): output += "&gt;".utf8
        case ASCII.quote: output += "&quot;".utf8
        case UInt8(ascii: "'"): output += "&#39;".utf8
        case _ where isControl(byte): output += replacement
        default: output.append(byte)
        }
    }

    /// Escapes more than JSON requires, for browsers that would take the text for a page.
    private static func appendJSON(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case ASCII.quote, ASCII.backslash: output += [ASCII.backslash, byte]
        case 0..<32, 0x7f, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "'"):
            output += "\\u00".utf8
            output += [hexadecimal(byte >> 4), hexadecimal(byte & 15)]
        default: output.append(byte)
        }
    }
}

/// U+FFFD
private let replacement: [UInt8] = [0xef, 0xbf, 0xbd]

private func isControl(_ byte: UInt8) -> Bool { byte < 32 || byte == 0x7f }

private func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 48 + digit : 55 + digit }
