/// One of the decisions that a question asks for. In its texts `{name}` stands for a variable of the route's path.
package struct PolicyEvaluation: Hashable, Sendable {
    /// Nil for the method of the request.
    package var action: String?
    package var resourceType: String
    /// Nil for the path of the request.
    package var resourceID: String?

    package init(action: String? = nil, resourceType: String = "route", resourceID: String? = nil) {
        self.action = action
        self.resourceType = resourceType
        self.resourceID = resourceID
    }

    /// The variables that its texts name.
    package var variableNames: [String] {
        [action, resourceType, resourceID].compactMap(\.self).flatMap(PolicyEvaluation.pieces).compactMap(\.variable)
    }

    /// A text with the values of its variables.
    ///
    /// - Parameter value: of a variable.
    package static func filled(_ text: String, _ value: (String) -> String) -> String {
        pieces(text).map { $0.variable.map(value) ?? $0.text }.joined()
    }

    private static func pieces(_ text: String) -> [(text: String, variable: String?)] {
        var pieces: [(text: String, variable: String?)] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            pieces.append((String(rest[..<open]), nil))
            pieces.append(("", String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        return pieces + [(String(rest), nil)]
    }
}
