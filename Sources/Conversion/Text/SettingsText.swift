import Bytes

/// Settings of oauth2-proxy: the lines of a configuration file, which is TOML with keys and values alone, or variables
/// `OAUTH2_PROXY_…` of an environment file.
package struct SettingsText: Sendable {
    package struct Setting: Equatable, Sendable {
        package var name: String
        /// The elements of a list; one text for any other value.
        package var values: [String]
        package var isList: Bool
        /// File and line.
        package var place: String

        /// The values of a list, which may also be one text with commas; blanks are part of them.
        var elements: [String] {
            isList
                ? values
                : values.flatMap { $0.split(separator: ",").map(String.init) }
        }
    }

    package private(set) var settings: [Setting] = []
    /// Whether these are variables of an environment file.
    package let isEnvironment: Bool

    private static let prefix = "OAUTH2_PROXY_"
    private let file: String
    private var rest: Substring
    private var line = 1

    /// - Parameter file: name for messages.
    package init(_ text: String, file: String) throws(ConversionFailure) {
        self.file = file
        try ConversionText.check(text, file: file)
        let text = text.replacing("\r\n", with: "\n")
        rest = Substring(text)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingBlanks }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        isEnvironment = lines.contains { line in
            line.hasPrefix(Self.prefix) || line.hasPrefix("export " + Self.prefix)
        }
        if lines.contains(where: {
            $0.wholeMatch(of: /(?:---|(?:providers|upstreamConfig|injectRequestHeaders|server) *:.*)/) != nil
        }) {
            throw ConversionFailure(
                place: file,
                message:
                    "this is an alpha configuration (YAML), which is not converted; give the file of --config, or variables OAUTH2_PROXY_…"
            )
        }
        if isEnvironment { try readVariables(text) } else { try readKeys() }
    }

    // MARK: Variables

    private mutating func readVariables(_ text: String) throws(ConversionFailure) {
        for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            line = index + 1
            var text = raw.trimmingBlanks
            if text.isEmpty || text.hasPrefix("#") { continue }
            if text.hasPrefix("export ") { text = text.dropFirst(7).trimmingBlanks }
            guard let sign = text.firstIndex(of: "=") else { throw failure("a line NAME=VALUE is expected") }
            // Variables of other programs may be in the file.
            guard text.hasPrefix(Self.prefix) else { continue }
            let name = text[..<sign].dropFirst(Self.prefix.count).lowercased()
            var value = text[text.index(after: sign)...].trimmingBlanks
            if let quote = value.first, quote == "\"" || quote == "'" {
                guard value.count > 1, value.last == quote else { throw failure("the quote has no end") }
                value = String(value.dropFirst().dropLast())
                // What a shell, Docker and systemd put in the place of these differs.
                guard quote == "'" || !value.contains(where: { "\\$`".contains($0) }) else {
                    throw failure("a value in double quotes may not have \\, $ or `; write it in single quotes")
                }
            }
            try add(Setting(name: name, values: [value], isList: false, place: "\(file):\(line)"))
        }
    }

    // MARK: Keys

    private mutating func readKeys() throws(ConversionFailure) {
        while true {
            skipBlankLines()
            guard let first = rest.first else { return }
            guard first != "[" else {
                throw failure("tables such as [name] are not part of this format; a line `name = value` is expected")
            }
            let start = line
            var name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
            rest.removeFirst(name.count)
            if name.isEmpty, first == "\"" { name = try text() }
            skipBlanks()
            guard !name.isEmpty, rest.popFirst() == "=" else { throw failure("a line `name = value` is expected") }
            skipBlanks()
            let (values, isList) = try value()
            skipBlanks()
            if rest.first == "#" { skipLine() }
            guard rest.first?.isNewline ?? true else {
                throw failure("the end of the line is expected behind the value")
            }
            // oauth2-proxy does not compare the case of keys.
            try add(Setting(name: name.lowercased(), values: values, isList: isList, place: "\(file):\(start)"))
        }
    }

    private mutating func value() throws(ConversionFailure) -> (values: [String], isList: Bool) {
        guard rest.first == "[" else { return ([try scalar()], false) }
        rest.removeFirst()
        var values: [String] = []
        while true {
            skipBlankLines()
            if rest.first == "]" { break }
            values.append(try scalar())
            skipBlankLines()
            if rest.first == "," { rest.removeFirst() } else { break }
        }
        skipBlankLines()
        guard rest.popFirst() == "]" else { throw failure("\",\" or \"]\" is expected in the list") }
        return (values, true)
    }

    private mutating func scalar() throws(ConversionFailure) -> String {
        if let quote = rest.first, quote == "\"" || quote == "'" { return try text() }
        let word = String(rest.prefix { $0.isLetter || $0.isNumber || "+-_.:".contains($0) })
        rest.removeFirst(word.count)
        guard word == "true" || word == "false" || word.first.map({ $0.isNumber || $0 == "-" || $0 == "+" }) == true
        else {
            throw failure("a text in quotes, a number, true, false or a list is expected")
        }
        return word
    }

    private mutating func text() throws(ConversionFailure) -> String {
        guard let quote = rest.popFirst() else { throw failure("a text is expected") }
        guard !rest.hasPrefix("\(quote)\(quote)") else { throw failure("texts of several lines are not read") }
        var text = ""
        while let character = rest.popFirst(), !character.isNewline {
            if character == quote { return text }
            guard character == "\\", quote == "\"" else {
                text.append(character)
                continue
            }
            let escapes: [Character: Character] = [
                "\"": "\"", "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "b": "\u{8}", "f": "\u{c}",
            ]
            guard let escape = rest.popFirst() else { break }
            if let plain = escapes[escape] {
                text.append(plain)
            } else if escape == "u" || escape == "U", let scalar = scalar(digits: escape == "u" ? 4 : 8) {
                text.unicodeScalars.append(scalar)
            } else {
                throw failure("unknown escape \\\(escape); a text in single quotes has none")
            }
        }
        throw failure("the text has no end")
    }

    private mutating func scalar(digits: Int) -> Unicode.Scalar? {
        let number = rest.prefix(digits)
        rest = rest.dropFirst(digits)
        return number.count == digits ? UInt32(number, radix: 16).flatMap(Unicode.Scalar.init) : nil
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

    private mutating func skipLine() { rest = rest.drop { !$0.isNewline } }

    private mutating func skipBlankLines() {
        while let first = rest.first {
            if first == "#" {
                skipLine()
            } else if first.isNewline {
                line += 1
                rest.removeFirst()
            } else if first.isWhitespace {
                rest.removeFirst()
            } else {
                return
            }
        }
    }

    private mutating func add(_ setting: Setting) throws(ConversionFailure) {
        guard !settings.contains(where: { $0.name == setting.name }) else {
            throw failure("\(setting.name) is given twice")
        }
        settings.append(setting)
    }

    private func failure(_ message: String) -> ConversionFailure {
        ConversionFailure(place: "\(file):\(line)", message: message)
    }
}
