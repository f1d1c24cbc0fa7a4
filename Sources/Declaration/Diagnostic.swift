import Model

/// One finding about a configuration: place, problem and expectation (GW-04).
package struct Diagnostic: Error, Equatable, Sendable {
    /// How the names of variables begin that stand in place of a file.
    package static let variablePrefix = "PORTCULLIS_"

    package var severity: Severity
    /// Name of the file, relative to the configuration directory.
    package var file: String
    /// Line in that file, from 1; 0 for the directory itself, and for a variable in place of a file.
    package var line: Int
    /// JSON pointer (RFC 6901) from the root of the whole configuration: `/routes/3/upstream`, also if `routes` is in a
    /// file of its own. Empty for the whole configuration.
    package var pointer: String
    package var message: String
    /// The accepted values.
    package var expected: String?
    /// The value found.
    package var found: String?
    /// A similar accepted value.
    package var suggestion: String?

    /// Texts lose the user information of URLs, whichever check has written them.
    package init(
        severity: Severity, file: String, line: Int, pointer: String, message: String, expected: String? = nil,
        found: String? = nil, suggestion: String? = nil
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        // A name in it may be a URL.
        self.pointer = pointer.split(separator: "/", omittingEmptySubsequences: false)
            .map(UserInformation.hidden(inValue:)).joined(separator: "/")
        self.message = UserInformation.hidden(inMessage: message)
        self.expected = expected.map(UserInformation.hidden(inMessage:))
        self.found = found.map(UserInformation.hidden(inMessage:))
        self.suggestion = suggestion.map(UserInformation.hidden(inMessage:))
    }
}

extension Diagnostic: CustomStringConvertible {
    /// One line: `routes.json:12: error: /routes/3/upstream: unknown upstream "inventry" (expected the name of an
    /// upstream; did you mean "inventory"?)`.
    package var description: String {
        let place = pointer.isEmpty ? "" : "\(pointer): "
        // The directory itself and variables have no lines.
        let position = line > 0 ? "\(file):\(line): " : file.hasPrefix(Diagnostic.variablePrefix) ? "\(file): " : ""
        return Diagnostic.printable("\(position)\(severity.rawValue): \(place)") + text
    }

    /// The problem and the accepted values in one line, without severity and place.
    package var text: String {
        var details: [String] = []
        // The message may quote the value already.
        let unsaid = found.flatMap { message.contains($0) ? nil : $0 }
        switch (expected, unsaid) {
        case (let expected?, let found?): details.append("expected \(expected), found \(found)")
        case (let expected?, nil): details.append("expected \(expected)")
        case (nil, let found?): details.append("found \(found)")
        case (nil, nil): break
        }
        if let suggestion { details.append("did you mean \"\(suggestion)\"?") }
        let tail = details.isEmpty ? "" : " (\(details.joined(separator: "; ")))"
        return Diagnostic.printable(message + tail)
    }

    /// The text with control characters escaped as in JSON: quoted text must not end the line or control a terminal.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isControl(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
            || scalar.properties.generalCategory == .paragraphSeparator
    }
}
