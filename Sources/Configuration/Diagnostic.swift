import Model

/// One finding about a configuration: where it is, what is wrong, and what would be right (GW-04).
package struct Diagnostic: Error, Equatable, Sendable {
    package var severity: Severity
    /// Name of the file, relative to the configuration directory.
    package var file: String
    /// Line in that file, from 1; 0 for the directory itself.
    package var line: Int
    /// JSON pointer (RFC 6901) from the root of the whole configuration: `/routes/3/upstream`, also where `routes`
    /// stands in a file of its own. Empty for the configuration as a whole.
    package var pointer: String
    package var message: String
    /// What would be accepted here.
    package var expected: String?
    /// What is there.
    package var found: String?
    /// A near miss that was probably meant.
    package var suggestion: String?
}

extension Diagnostic: CustomStringConvertible {
    /// One line: `routes.json:12: error: /routes/3/upstream: unknown upstream "inventry" (expected the name of an
    /// upstream; did you mean "inventory"?)`.
    package var description: String {
        var details: [String] = []
        // What the message quotes need not be said twice.
        let unsaid = found.flatMap { message.contains($0) ? nil : $0 }
        switch (expected, unsaid) {
        case (let expected?, let found?): details.append("expected \(expected), found \(found)")
        case (let expected?, nil): details.append("expected \(expected)")
        case (nil, let found?): details.append("found \(found)")
        case (nil, nil): break
        }
        if let suggestion { details.append("did you mean \"\(suggestion)\"?") }
        let place = pointer.isEmpty ? "" : "\(pointer): "
        let tail = details.isEmpty ? "" : " (\(details.joined(separator: "; ")))"
        // The directory itself has no lines.
        let position = line == 0 ? "" : "\(file):\(line): "
        return Diagnostic.printable("\(position)\(severity.rawValue): \(place)\(message)\(tail)")
    }

    /// The text with its control characters escaped as in JSON: what is quoted must not end the line or steer a
    /// terminal.
    private static func printable(_ text: String) -> String {
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
