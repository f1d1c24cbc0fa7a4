import Bytes

/// A configuration that was made from one of another program: the text of `gateway.jsonc`, and the report.
package struct ConvertedConfiguration: Sendable {
    /// A route, and the comment in front of it.
    struct Route: Sendable {
        var value: JSONNode
        var comment: String?
    }

    /// Sections other than `routes`, in their order.
    var sections: [(name: String, value: JSONNode)] = []
    var routes: [Route] = []
    package var report = ConversionReport()
    /// Variables of the environment that hold secrets.
    package var variables: [String] = []

    init() {}

    /// JSON with comments, an element of a list on each line.
    package var text: String {
        var members = sections.map { "  \(Self.flat(.text($0.name))): \(Self.listed($0.value))" }
        let lines = routes.enumerated().map { index, route in
            // What readers take for the end of a line must not end the comment.
            let comment = (route.comment ?? "").split(whereSeparator: \.isNewline)
                .map { "    // \(ConversionText.shown(String($0)))\n" }.joined()
            return comment + "    " + Self.flat(route.value) + (index + 1 < routes.count ? ",\n" : "\n")
        }
        members.append("  \"routes\": [\n\(lines.joined())  ]")
        return "// Made by `portcullis convert`; conversion.txt says from what, and what is left to do.\n{\n"
            + members.joined(separator: ",\n") + "\n}\n"
    }

    private static func listed(_ value: JSONNode) -> String {
        switch value.value {
        case .array(let elements) where elements.contains { $0.members != nil }:
            "[\n" + elements.map { "    " + flat($0) }.joined(separator: ",\n") + "\n  ]"
        case .object(let members) where members.contains { $0.node.members != nil }:
            "{\n" + members.map { "    \(flat(.text($0.name))): \(flat($0.node))" }.joined(separator: ",\n") + "\n  }"
        default: flat(value)
        }
    }

    private static func flat(_ value: JSONNode) -> String {
        let bytes = value.serialized
        return String(decoding: (try? JSONLayout.flattened(bytes)) ?? bytes, as: UTF8.self)
    }

    // MARK: Parts of routes

    /// A route that refuses every request.
    /// - Parameters:
    ///   - path: the text of a path pattern.
    ///   - more: members beside path, name and answer.
    static func denial(
        _ path: String, name: String, status: Int64 = 403, _ more: [(name: String, value: JSONNode)] = []
    ) -> JSONNode {
        .object(
            [("path", .text(path)), ("name", .text(name))] + more + [
                ("public", .flag(true)), ("response", .object([("status", .number(status))])),
            ])
    }

    /// The member `hostHeader` of an upstream or route that sends the host of the upstream's URL.
    static let upstreamHost: (name: String, value: JSONNode) = ("hostHeader", .text("upstream"))
}
