import Bytes
import Declaration

/// An access rule of Oathkeeper as it stands in its file.
struct OathkeeperRule {
    /// A handler with its settings: those of the configuration, with those of the rule in their place.
    struct Handler {
        var name: String
        var settings: [JSONMember]
        var isEnabled: Bool

        subscript(_ name: String) -> JSONNode? { settings.last { $0.name == name }?.node }

        func texts(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }
        func text(_ name: String) -> String? { self[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    }

    var id: String
    var place: String
    /// In upper case, without HEAD where GET is.
    var methods: [String] = []
    var match: OathkeeperMatch?
    var authenticators: [Handler] = []
    var authorizer: Handler?
    var mutators: [Handler] = []
    var errors: [Handler] = []
    var upstream: String?
    var keepsHost = false
    var stripPath: String?
    /// What cannot be read, and refuses the requests of the rule.
    var problems: [String] = []

    private static let members: Set = [
        "id", "version", "description", "match", "authenticators", "authorizer", "mutators", "errors", "upstream",
    ]

    /// - Parameters:
    ///   - place: file and line.
    ///   - configuration: of Oathkeeper; nil if it is not given.
    init(_ node: JSONNode, place: String, number: Int, configuration: JSONNode?, isGlob: Bool) {
        self.place = place
        id = node["id"]?.string.map(Diagnostic.printable) ?? "rule \(number)"
        if let text = node["id"]?.string, ConversionText.hasControls(text) {
            problems.append("\"id\" has control characters")
        }
        if let node = node["id"], node.string == nil { problems.append("\"id\" is no text") }
        check(node, Self.members)
        readMatch(node["match"], isGlob)
        func handlers(_ section: String, _ value: JSONNode?) -> [Handler] {
            let isOptional = section == "errors"
            if value?.array?.isEmpty ?? true, !isOptional || value?.array == nil && value?.isNull == false {
                problems.append("\"\(section)\" is no list of handlers")
            }
            return (value?.array ?? []).compactMap { handler($0, section, configuration) }
        }
        authenticators = handlers("authenticators", node["authenticators"])
        mutators = handlers("mutators", node["mutators"])
        errors = handlers("errors", node["errors"])
        authorizer = node["authorizer"].flatMap { handler($0, "authorizers", configuration) }
        if let upstream = node["upstream"] {
            check(upstream, ["url", "preserve_host", "strip_path"])
            for (name, isRead) in [
                ("preserve_host", upstream["preserve_host"]?.bool != nil),
                ("strip_path", upstream["strip_path"]?.string != nil),
            ] where !isRead && upstream[name]?.isNull == false {
                problems.append("\(name) of \"upstream\" has a value of another kind")
            }
            self.upstream = upstream["url"]?.string
            keepsHost = upstream["preserve_host"]?.bool ?? false
            stripPath = upstream["strip_path"]?.string.flatMap { $0.isEmpty || $0 == "/" ? nil : $0 }
        }
    }

    /// Members that are not known may restrict the rule.
    private mutating func check(_ node: JSONNode, _ known: Set<String>) {
        guard let members = node.members else { return problems.append("a mapping is expected") }
        for member in members where !known.contains(member.name) {
            problems.append("unknown member \"\(member.name)\"")
        }
    }

    private mutating func readMatch(_ match: JSONNode?, _ isGlob: Bool) {
        guard let match, match["full_method"] == nil, let url = match["url"]?.string else {
            return problems.append("\"match\" has no \"url\"; rules for RPC are not translated")
        }
        check(match, ["url", "methods"])
        let listed = match["methods"]?.array ?? []
        let all = listed.compactMap(\.string).map { $0.uppercased() }
        if all.count < listed.count { problems.append("\"methods\" has what is no text") }
        methods = all.unique()
        if methods.contains("HEAD"), !methods.contains("GET") {
            // A route for GET takes HEAD with it: both are refused.
            methods.append("GET")
            problems.append("\"methods\" has HEAD without GET, which no route can tell apart")
        }
        methods.removeAll { $0 == "HEAD" }
        methods.removeAll { $0 == "CONNECT" || $0 == "TRACE" }
        if methods.isEmpty { problems.append("\"match\" has no \"methods\", so that it matches no request") }
        self.match = OathkeeperMatch(url, isGlob: isGlob)
        if self.match == nil { problems.append("\"<\" and \">\" of \"\(url)\" do not belong together") }
    }

    private mutating func handler(_ node: JSONNode, _ section: String, _ configuration: JSONNode?) -> Handler? {
        guard let name = node["handler"]?.string else {
            problems.append("a handler has no name")
            return nil
        }
        // Error handlers stand one level deeper.
        let place = section == "errors" ? configuration?["errors"]?["handlers"] : configuration?[section]
        let common = place?[name]
        check(node, ["handler", "config"])
        if section != "errors" {
            for config in [common?["config"], node["config"]] {
                problems += Self.problems(section, name, config)
            }
        }
        let settings = (common?["config"]?.members ?? []) + (node["config"]?.members ?? [])
        return Handler(
            name: name, settings: settings, isEnabled: configuration == nil || common?["enabled"]?.bool == true)
    }
}
