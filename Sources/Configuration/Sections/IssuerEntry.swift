import Bytes
import Declaration
import Model

/// A module that obtains the token injected upstream (ISS-01). The composition root knows the modules, and reads their
/// other members with `LoadedConfiguration.read`.
package struct IssuerEntry: Sendable {
    package var name: String
    /// The kind of module.
    package var module: String
    /// The hosts that its tokens may be sent to, in lower case; nil for any upstream.
    package var allowedHosts: [String]?
    /// Its place in the configuration.
    package let pointer: String
    fileprivate let node: JSONNode

    static func readAll(_ field: Field) -> [IssuerEntry] {
        var entries: [IssuerEntry] = []
        for (name, place) in field.object("an object of issuers by name").entries {
            if name == "$schema", field.isFileRoot { continue }
            if !EntryName.isValid(name) { place.error("invalid issuer name", expected: EntryName.rule) }
            var object = place.object("an issuer: {\"module\"}")
            let (module, hosts) = read(&object)
            entries.append(
                IssuerEntry(name: name, module: module, allowedHosts: hosts, pointer: place.pointer, node: place.node))
        }
        return entries
    }

    /// The names of the members that the entries of all modules have.
    package static var names: [String] { ObjectForm.of(read).names }

    /// The members that the entries of all modules have.
    fileprivate static func read(_ object: inout ObjectReader) -> (module: String, hosts: [String]?) {
        (
            object.required("module", .name, "the name of a module", placeholder: "", "Kind of issuer."),
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
            guard HostName.isValid(text) || IPAddress(text) != nil else { return element.invalid(expected) }
            return text.lowercased()
        }
        if field.node.array?.isEmpty == true { field.error("the list is empty", expected: "at least one host") }
        return hosts
    }
}

extension LoadedConfiguration {
    /// Reads the members that only the module of an issuer knows. Members that `body` does not read are unknown.
    package func read<Value>(
        _ entry: IssuerEntry, _ body: (inout ObjectReader) -> Value
    ) -> (value: Value, diagnostics: [Diagnostic]) {
        let findings = findings()
        var object = Field(node: entry.node, pointer: entry.pointer, findings: findings).object("an issuer")
        for name in IssuerEntry.names { _ = object.take(name) }
        let value = body(&object)
        object.finish()
        return (value, findings.diagnostics)
    }
}

extension SectionForm {
    /// The form of the section `issuers`, with the modules of the composition root.
    /// - Parameter modules: the names of each module and its keys beyond the common ones.
    package static func issuers(_ modules: [(names: [String], form: ObjectForm)]) -> SectionForm {
        let common = ObjectForm.of(IssuerEntry.read).keys
        let forms = modules.map { names, form in
            let module = ObjectForm.Key(
                name: "module", form: .choice(names), meaning: common[0].meaning, isRequired: true)
            return Form.object(ObjectForm([module] + common.dropFirst() + form.keys, rules: form.rules))
        }
        return SectionForm(
            name: "issuers", meaning: "Issuers of the tokens that upstreams get, by name.",
            form: .map(.either(forms), names: "^[A-Za-z0-9._-]{1,64}$"))
    }
}
