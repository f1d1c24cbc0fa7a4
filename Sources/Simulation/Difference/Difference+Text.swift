import Bytes

extension Difference {
    /// For programs.
    package var json: JSONNode {
        .object([
            ("classes", JSONNode(.array(classes.map(\.json)))), ("undecided", .texts(undecided)),
            ("alsoChanged", .texts(harmlessChanges)),
        ])
    }

    /// For people: classes of the same requests that come to the same stand together.
    package var text: String {
        let also = harmlessChanges.isEmpty ? [] : ["also changed: \(harmlessChanges.joined(separator: ", "))"]
        if classes.isEmpty, undecided.isEmpty {
            return (["no request is decided differently"] + also).map(\.harmless).joined(separator: "\n")
        }
        var lines: [String] = []
        for place in classes.indices where !classes[..<place].contains(where: { $0.isBeside(classes[place]) }) {
            lines += Difference.text(of: classes[place...].filter { $0.isBeside(classes[place]) })
        }
        return (lines + undecided.map { "UNDECIDED: " + $0 } + also + [counts]).map(\.harmless)
            .joined(separator: "\n")
    }

    /// How many classes there are of each kind.
    var counts: String {
        DifferenceClass.Access.allCases.map { access in
            "\(classes.count { $0.change.access == access }) \(access.rawValue)"
        }.joined(separator: ", ")
    }

    private static func text(of classes: [DifferenceClass]) -> [String] {
        guard let first = classes.first else { return [] }
        var lines = ["\(first.change.access.rawValue.uppercased()): \(first.change.after)"]
        lines += first.places.map { "    \($0.text)" }
        for one in classes {
            lines.append("  \(one.callerText); before: \(one.change.before)")
        }
        return lines + first.change.details.map { "  \($0)" } + [""]
    }
}

extension DifferenceClass {
    /// The kind of caller with its properties, for people.
    var callerText: String {
        let properties = properties.map { $0.labels.joined(separator: " or ") }.filter { !$0.isEmpty }
        return ([caller] + properties).joined(separator: ", ")
    }

    fileprivate func isBeside(_ other: DifferenceClass) -> Bool {
        change.access == other.change.access && change.after == other.change.after
            && change.details == other.change.details && places == other.places
    }
}

extension String {
    /// Without characters that would move a terminal's cursor, or let one line look like several or like another.
    package var harmless: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "?"
                    default: scalar
                    }
                }))
    }
}
