/// User information of URLs in messages: it may be a password.
package enum UserInformation {
    /// A value that may be a URL. All before its last "@" is hidden: the password of a malformed URL may have any character.
    package static func hidden(inValue text: some StringProtocol) -> String {
        let text = String(text)
        // The "@" may be encoded by mistake.
        guard let end = text.ranges(of: /@|%40/).last?.lowerBound else { return text }
        let before = text[..<end]
        guard before.contains(":") else { return text }
        let start = before.firstRange(of: "://")?.upperBound ?? text.startIndex
        return "\(text[..<start])***\(text[end...])"
    }

    /// A value in quotes, shortened after its user information is hidden.
    package static func quoted(_ value: String) -> String {
        let shown = hidden(inValue: value)
        return "\"\(shown.prefix(60))\(shown.count > 60 ? "..." : "")\""
    }

    /// A message that may quote such values. All from the first URL to the last "@" may be one.
    package static func hidden(inMessage text: String) -> String {
        guard let end = text.ranges(of: /@|%40/).last, text[..<end.lowerBound].contains("://") else {
            return hidden(inWords: text)
        }
        return hidden(inValue: text)
    }

    /// A text in each word of which may be a URL.
    package static func hidden(inWords text: String) -> String {
        guard text.contains(/@|%40/) else { return text }
        return text.replacing(/[^\s"]+/) { hidden(inValue: $0.output) }
    }
}
