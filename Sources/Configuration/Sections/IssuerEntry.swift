import Bytes
import Model

/// A module that obtains the token injected upstream (ISS-01). Which modules there are, and what else they want to know,
/// is the composition root's to say: it reads the entry's other members by `LoadedConfiguration.read`.
package struct IssuerEntry: Sendable {
    package var name: String
    /// The kind of module.
    package var module: String
    /// The hosts that its tokens may go to, in lower case; nil for wherever a route names it.
    package var allowedHosts: [String]?
    /// Where it stands in the configuration.
    package let pointer: String
    fileprivate let node: JSONNode

    static func readAll(_ field: Field) -> [IssuerEntry] {
        var entries: [IssuerEntry] = []
        for (name, place) in field.object("an object of issuers by name").entries {
            if name == "$schema", field.isFileRoot { continue }
            if !WebgateEntry.isName(name) { place.error("invalid issuer name", expected: WebgateEntry.nameRule) }
            var object = place.object("an issuer: {\"module\"}")
            let (module, hosts) = read(&object)
            entries.append(
                IssuerEntry(name: name, module: module, allowedHosts: hosts, pointer: place.pointer, node: place.node))
        }
        return entries
    }

    /// The members that the entries of all modules have.
    fileprivate static func read(_ object: inout ObjectReader) -> (module: String, hosts: [String]?) {
        (
            object.required("module", .name, "the name of a module", standIn: "", "Kind of issuer."),
            object.optional(
                "allowedHosts", hosts,
                """
                Hosts that its tokens may be sent to; a route to any other upstream is an error. By default any that a \
                route names.
                """)
        )
    }

    private static let hosts = Shape.texts(.list(.pattern("^[A-Za-z0-9.:_-]+$"), minimum: 1)) { field in
        let expected = "the host of an upstream, such as \"api.example.com\", without port"
        let hosts = field.names("an array of hosts") { element in
            guard let text = element.text(expected) else { return nil }
            guard HostName.isValid(text) || IPAddress(text) != nil else {
                element.invalid(expected)
                return nil
            }
            return text.lowercased()
        }
        if field.node.array?.isEmpty == true { field.error("the list is empty", expected: "at least one host") }
        return hosts
    }
}

extension LoadedConfiguration {
    /// Reads what only its module knows of an issuer. Members that `body` does not ask for are unknown.
    package func read<Value>(
        _ entry: IssuerEntry, _ body: (inout ObjectReader) -> Value
    ) -> (value: Value, diagnostics: [Diagnostic]) {
        let findings = findings()
        var object = Field(node: entry.node, pointer: entry.pointer, findings: findings).object("an issuer")
        for key in ObjectForm.of(IssuerEntry.read).keys { _ = object.take(key.name) }
        let value = body(&object)
        object.finish()
        return (value, findings.diagnostics)
    }
}

extension SectionForm {
    /// The section `issuers`, whose modules only the composition root knows.
    /// - Parameter modules: their names, and what they have beside the keys of all modules.
    package static func issuers(_ modules: [(names: [String], form: ObjectForm)]) -> SectionForm {
        let common = ObjectForm.of(IssuerEntry.read).keys
        let forms = modules.map { names, form in
            let module = ObjectForm.Key(
                name: "module", form: .choice(names), meaning: common[0].meaning, isRequired: true)
            return Form.object(ObjectForm([module] + common.dropFirst() + form.keys, form.constraints))
        }
        return SectionForm(
            name: "issuers", meaning: "Issuers of the tokens that upstreams get, by name.",
            form: .map(.either(forms), names: "^[A-Za-z0-9._-]{1,64}$"))
    }
}
