/// Why a text is not JSON (RFC 8259), and where.
package struct JSONError: Error, Equatable {
    /// The violated rule; the raw value is the message.
    package enum Kind: String, Sendable {
        case unexpectedEnd = "the text ends before the value does"
        case byteOrderMark = "a byte order mark precedes the text"
        case unexpectedCharacter = "unexpected character"
        case expectedName = "expected a member name in double quotes"
        case expectedColon = "expected ':' after the member name"
        case expectedCommaOrEnd = "expected ',' or the closing bracket"
        case invalidLiteral = "expected true, false or null"
        case invalidNumber = "malformed number"
        case controlCharacter = "a control character in a string must be escaped"
        case invalidEscape = "invalid escape in a string"
        case loneSurrogate = "half of a surrogate pair in a string"
        case invalidUTF8 = "a string is not UTF-8"
        case tooManyMarks = "a string has more than 30 combining marks in a row"
        case duplicateName = "the object has this member already"
        case tooDeep = "arrays and objects are nested too deeply"
        case trailingCharacters = "characters after the end of the value"
    }

    package var kind: Kind
    /// Offset in bytes of the place from the start of the text.
    package var offset: Int

    package init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "\(kind.rawValue) at offset \(offset)" }
}
