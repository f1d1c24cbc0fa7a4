import Bytes
import Declaration
import Model

/// Variables of the environment that set options of `gateway.json`, `PORTCULLIS_TOKEN_SERVICE_ISSUER` for
/// `tokenService.issuer`. Their names come from the declarations of the keys.
package struct OptionVariables {
    /// What a variable sets.
    struct Option {
        let path: [String]
        /// Whether the value may be a list, of which commas separate the elements; and whether it may be anything else.
        let isList: Bool
        let isScalar: Bool
    }

    static let prefix = Diagnostic.variablePrefix

    /// Variables with this beginning that are no options: for the process, for commands, and for builds and tests.
    static let others: Set<String> = [
        "PORTCULLIS_ENGINE", "PORTCULLIS_INSECURE", "PORTCULLIS_LISTENERS", "PORTCULLIS_READY",
        "PORTCULLIS_ADMIN_TOKEN", "PORTCULLIS_CLIENT_HOME", "PORTCULLIS_BINARY", "PORTCULLIS_PYTHON",
        "PORTCULLIS_PRELOAD", "PORTCULLIS_TESTS", "PORTCULLIS_TEST_FULL", "PORTCULLIS_FAULTS",
        "PORTCULLIS_FAULTS_LOG", "PORTCULLIS_SANITIZED", "PORTCULLIS_BENCH", "PORTCULLIS_FIGURES",
        "PORTCULLIS_PICTURES", "PORTCULLIS_BARE", "PORTCULLIS_FULL", "PORTCULLIS_CORE", "PORTCULLIS_FORBIDDEN",
    ]

    /// Keys that are read before variables are, or that the process has its own variable for.
    private static let excluded: Set<String> = ["environment", "optionalFiles", "engine"]

    /// The options by variable.
    let options: [String: Option]

    /// - Parameter form: of `gateway.json`.
    init(_ form: Form) {
        var options: [String: Option] = [:]
        OptionVariables.add(form, at: [], to: &options)
        self.options = options
    }

    /// The variable of a path of keys.
    static func name(of path: [String]) -> String { prefix + path.map(words).joined(separator: "_") }

    /// A key in upper case, with underscores between its words.
    private static func words(_ key: String) -> String {
        var text = ""
        var previous: Character = "_"
        for character in key {
            if character.isUppercase, previous.isLowercase || previous.isNumber { text += "_" }
            text += character.isLetter || character.isNumber ? character.uppercased() : "_"
            previous = character
        }
        return text
    }

    private static func add(_ form: Form, at path: [String], to options: inout [String: Option]) {
        if !path.isEmpty, form.isList || form.isScalar {
            let name = name(of: path)
            assert(options[name].map { $0.path == path } ?? true, "\(name) would set two options")
            options[name] = Option(path: path, isList: form.isList, isScalar: form.isScalar)
        }
        for key in form.members where path.isEmpty ? !excluded.contains(key.name) : true {
            add(key.form, at: path + [key.name], to: &options)
        }
    }

    /// Variables that look like options and are none, with a similar name.
    package static func unknown(
        _ environment: [String: String], extensions: [SectionExtension]
    ) -> [Diagnostic] {
        let candidates = candidates(environment)
        if candidates.isEmpty { return [] }
        let known = OptionVariables(SectionForm.gateway(extensions).form).options.keys.sorted()
        return candidates.keys.filter { !known.contains($0) }.sorted().map { name in
            Diagnostic(
                severity: .warning, file: name, line: 0, pointer: "", message: "the variable sets no option",
                expected: "the name of an option in config/reference",
                suggestion: Suggestion.nearest(to: name, among: known))
        }
    }

    /// An empty variable counts as one that is not set.
    static func candidates(_ environment: [String: String]) -> [String: String] {
        environment.filter {
            $0.key.hasPrefix(prefix) && !others.contains($0.key) && !$0.value.isEmpty && !isOfService($0.key, $0.value)
        }
    }

    /// Whether Kubernetes has set it, for a service whose name begins with `portcullis`.
    private static func isOfService(_ name: String, _ value: String) -> Bool {
        ["_SERVICE_HOST", "_SERVICE_PORT"].contains(where: name.hasSuffix) || name.contains("_SERVICE_PORT_")
            || name.contains("_PORT_") && ["_TCP", "_UDP", "_SCTP"].contains(where: name.contains)
            || name.hasSuffix("_PORT") && value.contains("://")
    }
}

extension OptionVariables {
    /// Puts the values of variables into the place of those in the files.
    static func apply(
        _ environment: [String: String], to sources: inout Sources, _ written: inout OriginalTexts,
        extensions: [SectionExtension]
    ) {
        let candidates = candidates(environment)
        // The forms are computed for this alone.
        if candidates.isEmpty || sources.gateway == nil { return }
        let options = OptionVariables(SectionForm.gateway(extensions).form).options
        for (name, value) in candidates.sorted(by: { $0.key < $1.key }) {
            guard let option = options[name] else { continue }
            let pointer = option.path.reduce("", JSONPointer.child)
            let node = OptionVariables.node(value, option, name, pointer, &written)
            if let gateway = sources.gateway {
                sources.gateway = gateway.part(gateway.root.setting(option.path[...], to: node))
            }
            sources.variables[pointer] = name
        }
    }

    /// The value as the file would have it. Texts are registered as ones with a variable, so that they may stand for numbers
    /// and messages do not show them.
    private static func node(
        _ value: String, _ option: Option, _ name: String, _ pointer: String, _ written: inout OriginalTexts
    ) -> JSONNode {
        guard option.isList, !option.isScalar || value.contains(",") else {
            written.add("${\(name)}", value: value, at: pointer)
            return JSONNode(.string(value))
        }
        let elements = value.split(separator: ",").map { $0.trimmingPrefix(" ").description }
        for (i, element) in elements.enumerated() {
            written.add("${\(name)}", value: element, at: JSONPointer.child(pointer, "\(i)"))
        }
        return JSONNode(.array(elements.map { JSONNode(.string($0)) }))
    }
}

extension JSONNode {
    /// The same object with a member at a path; other values give way to an object.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSONNode) -> JSONNode {
        guard let name = path.first else { return JSONNode(value.value, offset: offset) }
        var members = members ?? []
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].node = members[index].node.setting(path.dropFirst(), to: value)
        } else {
            members.append(JSONMember(name: name, node: JSONNode(.null).setting(path.dropFirst(), to: value)))
        }
        return JSONNode(.object(members), offset: offset)
    }
}

extension Form {
    /// Whether a single text, number or truth value is allowed.
    fileprivate var isScalar: Bool {
        switch self {
        case .flag, .integer, .text, .pattern, .choice: true
        case .either(let forms): forms.contains(where: \.isScalar)
        case .named(_, let form), .described(_, let form): form.isScalar
        case .list, .object, .map, .schema: false
        }
    }

    /// Whether a list of such values is allowed.
    fileprivate var isList: Bool {
        switch self {
        case .list(let element, _, _, _): element.isScalar
        case .either(let forms): forms.contains(where: \.isList)
        case .named(_, let form), .described(_, let form): form.isList
        default: false
        }
    }

    /// The members of the object that is allowed, if any.
    fileprivate var members: [ObjectForm.Key] {
        switch self {
        case .object(let object): object.keys
        case .either(let forms): forms.flatMap(\.members)
        case .named(_, let form), .described(_, let form): form.members
        default: []
        }
    }
}
