import Bytes
import Model

/// Makes a configuration of access rules of Ory Oathkeeper. Oathkeeper refuses a request that two rules match, or none. The
/// gateway takes the most specific route; so the result has a route that refuses for each overlap.
package struct OathkeeperConversion {
    /// What the requests of a rule get.
    enum Outcome {
        /// Members of its routes.
        case served([(name: String, value: JSONNode)])
        case denied(status: Int64, cause: String)
    }

    var result = ConvertedConfiguration()
    var upstreams: [(name: String, value: JSONNode)] = []
    var trustedIssuers: [(name: String, value: JSONNode)] = []
    var policyServers: [(name: String, value: JSONNode)] = []
    var issuers: [(name: String, value: JSONNode)] = []
    /// The patterns that several rules may match, by the indices of these rules.
    var overlaps: [[Int]: [String]] = [:]
    let configuration: JSONNode?
    let configurationText: (text: String, file: String)?

    /// - Parameters:
    ///   - rules: the text of the access rules and the name of their file.
    ///   - configuration: those of the configuration of Oathkeeper; nil where it is not given.
    /// - Throws: if a file is neither JSON nor YAML, or not of this program.
    package static func convert(
        _ rules: (text: String, file: String), configuration: (text: String, file: String)?
    ) throws(ConversionFailure) -> ConvertedConfiguration {
        let root = try YAMLText.node(rules.text, file: rules.file)
        guard let elements = root.array else {
            throw ConversionFailure(place: rules.file, message: "a list of access rules is expected")
        }
        var node: JSONNode?
        if let configuration {
            let root = try YAMLText.node(configuration.text, file: configuration.file)
            guard root.members != nil else {
                throw ConversionFailure(
                    place: configuration.file, message: "the configuration of Oathkeeper is expected")
            }
            node = root
        }
        var conversion = OathkeeperConversion(node, configuration)
        let isGlob = node?["access_rules"]?["matching_strategy"]?.string == "glob"
        let read = elements.enumerated().map { index, element in
            OathkeeperRule(
                element, place: "\(rules.file):\(YAMLText.line(of: element.offset, in: rules.text))", number: index + 1,
                configuration: node, isGlob: isGlob)
        }
        conversion.convertServer(read, rules.file)
        conversion.convertRules(read)
        return conversion.result
    }

    private init(_ configuration: JSONNode?, _ text: (text: String, file: String)?) {
        (self.configuration, configurationText) = (configuration, text)
    }

    // MARK: Notes

    mutating func note(_ kind: ConversionNote.Kind, _ rule: OathkeeperRule, _ part: String, _ text: String) {
        result.report.add(kind, rule.place, part.isEmpty ? rule.id : "\(rule.id), \(part)", text)
    }

    /// A note about a place of the configuration.
    mutating func note(_ kind: ConversionNote.Kind, _ node: JSONNode?, _ setting: String, _ text: String) {
        guard let (whole, file) = configurationText else { return result.report.add(kind, "rules", setting, text) }
        let place = node.map { "\(file):\(YAMLText.line(of: $0.offset, in: whole))" } ?? file
        result.report.add(kind, place, setting, text)
    }

    mutating func section(_ name: String, _ value: JSONNode) { result.sections.append((name, value)) }

    // MARK: Server

    /// Listeners, and settings of the configuration that no rule uses.
    private mutating func convertServer(_ rules: [OathkeeperRule], _ file: String) {
        let proxy = configuration?["serve"]?["proxy"]
        let port = proxy?["port"]?.integer ?? 4455
        let host = proxy?["host"]?.string ?? ""
        let address = host.isEmpty ? "0.0.0.0" : host == "localhost" ? "127.0.0.1" : host
        var listener: [(name: String, value: JSONNode)] = [("address", .text("127.0.0.1")), ("port", .number(port))]
        if let address = IPAddress(address) {
            listener[0].value = .text("\(address)")
        } else {
            note(.open, proxy?["host"], "serve.proxy.host", "\"\(host)\" is no address; set that of the listener")
        }
        if let tls = proxy?["tls"] {
            if let certificate = tls["cert"]?["path"]?.string, let key = tls["key"]?["path"]?.string {
                let files: JSONNode = .object([("certFile", .text(certificate)), ("keyFile", .text(key))])
                listener.append(("tls", .object([("certificates", JSONNode(.array([files])))])))
                note(.translated, tls, "serve.proxy.tls", "tls of the listener")
            } else {
                note(.open, tls, "serve.proxy.tls", "keys in the configuration are not copied; name files in tls")
            }
        }
        var listeners: [JSONNode] = [.object(listener)]
        if let metrics = configuration?["serve"]?["prometheus"], let port = metrics["port"]?.integer {
            let host = metrics["host"]?.string ?? ""
            let address = IPAddress(host.isEmpty ? "0.0.0.0" : host).map { "\($0)" } ?? "127.0.0.1"
            listeners.append(
                .object([("address", .text(address)), ("port", .number(port)), ("role", .text("metrics"))]))
            note(.translated, metrics, "serve.prometheus", "a listener with \"role\": \"metrics\"")
        }
        let origins = Set(rules.compactMap { $0.match?.origin }.filter { (try? WebURL($0)) != nil })
        if origins.count == 1, let origin = origins.first {
            section("baseUrl", .text(origin))
        } else {
            section("baseUrl", .text("http://localhost:\(port)"))
            result.report.add(
                .open, file, "match.url", "set baseUrl to the origin of the gateway; it is http://localhost:\(port) now"
            )
        }
        section("listeners", JSONNode(.array(listeners)))
        noteOthers()
    }

    private mutating func noteOthers() {
        let proxy = configuration?["serve"]?["proxy"]
        if let trust = proxy?["trust_forwarded_headers"], trust.bool == true {
            note(.open, trust, "trust_forwarded_headers", "set trustedProxies to the addresses of the proxies in front")
        }
        if let cors = proxy?["cors"], cors["enabled"]?.bool == true {
            note(
                .attention, cors, "serve.proxy.cors",
                "pages of other origins are refused; name them in \"cors\": {\"allowOrigins\": [...]} of the routes")
        }
        if let timeout = proxy?["timeout"] {
            note(.unneeded, timeout, "serve.proxy.timeout", "`limits` has the times of each step of a request")
        }
        if let api = configuration?["serve"]?["api"] {
            note(
                .unneeded, api, "serve.api",
                "a listener with \"forwardAuth\": {\"pathPrefix\": \"/decisions\"} decides for another proxy")
        }
        if let repositories = configuration?["access_rules"]?["repositories"] {
            let count = repositories.array?.count ?? 0
            note(
                count > 1 ? .attention : .unneeded, repositories, "access_rules.repositories",
                count > 1
                    ? "there are \(count), and only the rules of the given file are converted; join them to one file"
                    : "the rules are those of the given file")
        }
        if let fallback = configuration?["errors"]?["fallback"],
            fallback.array?.contains(where: { $0.string != "json" }) == true
        {
            note(.attention, fallback, "errors.fallback", "errors are JSON, or a page for browsers; see `errors`")
        }
        let known: Set = [
            "serve", "access_rules", "errors", "authenticators", "authorizers", "mutators", "log", "tracing",
            "profiling",
            "version",
        ]
        for member in configuration?.members ?? [] {
            if ["log", "profiling", "version", "tracing"].contains(member.name) {
                note(.unneeded, member.node, member.name, "see `log` and `tracing` of the gateway")
            } else if !known.contains(member.name) {
                note(.attention, member.node, member.name, "unknown setting, which is not translated")
            }
        }
    }

    // MARK: Entries

    /// The name of the entry of a list, which is added if there is no equal one.
    static func entry(
        _ value: [(name: String, value: JSONNode)], _ prefix: String, in list: inout [(name: String, value: JSONNode)]
    ) -> String {
        let node = JSONNode.object(value)
        if let known = list.first(where: { $0.value == node }) { return known.name }
        let name = "\(prefix)-\(list.count + 1)"
        list.append((name, node))
        return name
    }
}
