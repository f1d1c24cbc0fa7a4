import Bytes

/// What an `Accept` field asks for (RFC 9110 section 12.5.1).
package enum AcceptField {
    private static let html = Array("text/html".utf8)

    /// Whether HTML is named, as browsers name it where they open a page; a range that HTML falls under is no name.
    ///
    /// - Parameter value: the field's value, as a range of the buffer.
    package static func namesHTML(_ value: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        var list = FieldList(value)
        while let element = list.next(bytes) {
            var end = Int(element.start)
            while end < element.end, bytes[end] != UInt8(ascii: ";"), bytes[end] != ASCII.space { end += 1 }
            if bytesEqualIgnoringCase(html.span, bytes.extracting(Int(element.start)..<end)) { return true }
        }
        return false
    }

    /// The same of the value as text.
    package static func namesHTML(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        return namesHTML(ByteRange(0..<bytes.count), bytes.span)
    }
}
