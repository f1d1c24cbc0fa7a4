import Bytes

/// Content negotiation by `Accept` (RFC 9110 section 12.5.1).
package enum AcceptField {
    private static let html = Array("text/html".utf8)
    private static let json = Array("application/json".utf8)
    private static let problem = Array("application/problem+json".utf8)

    /// Whether HTML is listed explicitly, as browsers do when they open a page; a range such as `*/*` does not count.
    ///
    /// - Parameter value: the field's value, as a range of the buffer.
    package static func namesHTML(_ value: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var list = FieldList(value)
        while let element = list.next(bytes) {
            let end = nameEnd(element, bytes)
            if bytesEqualIgnoringCase(html.span, bytes.extracting(Int(element.start)..<end)) { return true }
        }
        return false
    }

    /// Whether HTML is listed explicitly and preferred to JSON: by quality, or by order for equal quality.
    ///
    /// - Parameter value: the field's value, as a range of the buffer.
    package static func prefersHTML(_ value: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var best = (html: 0, json: 0)
        var isHTMLFirst = false
        var list = FieldList(value)
        while let element = list.next(bytes) {
            let end = nameEnd(element, bytes)
            let name = bytes.extracting(Int(element.start)..<end)
            let quality = quality(bytes.extracting(end..<Int(element.end)))
            if bytesEqualIgnoringCase(html.span, name) {
                if best.json == 0 { isHTMLFirst = true }
                best.html = max(best.html, quality)
            } else if bytesEqualIgnoringCase(json.span, name) || bytesEqualIgnoringCase(problem.span, name) {
                best.json = max(best.json, quality)
            }
        }
        return best.html > best.json || (best.html == best.json && best.html > 0 && isHTMLFirst)
    }

    /// End of the media range of an element, before its parameters.
    private static func nameEnd(_ element: ByteRange, _ bytes: Span<UInt8>) -> Int {
        var end = Int(element.start)
        while end < element.end, bytes[end] != UInt8(ascii: ";"), bytes[end] != ASCII.space { end += 1 }
        return end
    }

    /// The weight of an element in thousandths (RFC 9110 section 12.4.2); 1000 by default.
    static func quality(_ parameters: Span<UInt8>) -> Int {
        var i = 0
        while i + 2 < parameters.count {
            let isName = parameters[i] | 32 == UInt8(ascii: "q") && parameters[i + 1] == UInt8(ascii: "=")
            guard isName, i > 0, parameters[i - 1] == UInt8(ascii: ";") || parameters[i - 1] == ASCII.space else {
                i += 1
                continue
            }
            var quality = parameters[i + 2] == UInt8(ascii: "1") ? 1000 : 0
            var scale = 100
            var place = i + 4
            while quality < 1000, place < parameters.count, scale > 0, ASCII.isDigit(parameters[place]) {
                quality += Int(parameters[place] - 48) * scale
                scale /= 10
                place += 1
            }
            return quality
        }
        return 1000
    }

    /// The same for a value as text.
    package static func namesHTML(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        return namesHTML(ByteRange(0..<bytes.count), bytes.span)
    }
}
