import Bytes
import Declaration
import Model

/// A section that another target declares, such as one of a family of endpoints. The target translates it into values that
/// every gateway has, or keeps a value of its own in the configuration.
package struct SectionExtension: Sendable {
    enum Kind: Sendable {
        /// An object, in `gateway.json` only.
        case member(read: @Sendable (inout ObjectReader, inout GatewayConfiguration) -> Void)
        /// A list, or an object of entries by name, which may have a file of its own.
        case file(
            isList: Bool, form: @Sendable () -> Form, read: @Sendable (Field, inout GatewayConfiguration) -> Void)
        /// A key of entries of `backends.json`.
        case backendKey(read: ClientEntry.BackendKey)
        /// A key of routes.
        case routeKey(read: RouteEntry.Key)
        /// A section that the program is built without.
        case absent
    }

    let name: String
    let meaning: String
    let kind: Kind
    /// Compares the section with others.
    let check: @Sendable (GatewayConfiguration, Findings) -> Void

    /// An object in `gateway.json` that the configuration keeps by its type.
    /// - Parameter expected: the expectation to report if the value is not an object.
    package static func member<Value: SectionValue>(
        _ name: String, _ meaning: String, expected: String = "an object",
        read: @escaping @Sendable (inout ObjectReader) -> Value
    ) -> SectionExtension {
        let kind = Kind.member { root, configuration in
            configuration[Value.self] = root.section(name, meaning, expected: expected, read)
        }
        return SectionExtension(name: name, meaning: meaning, kind: kind) { _, _ in }
    }

    /// A list of such values, in a file of its own or in `gateway.json`.
    package static func list<Value>(
        _ name: String, _ meaning: String, of shape: Shape<Value>,
        read: @escaping @Sendable (Field, inout GatewayConfiguration) -> Void,
        check: @escaping @Sendable (GatewayConfiguration, Findings) -> Void
    ) -> SectionExtension {
        let kind = Kind.file(isList: true, form: { .list(shape.form(), isUnique: false) }, read: read)
        return SectionExtension(name: name, meaning: meaning, kind: kind, check: check)
    }

    /// An object of entries by name, in a file of its own or in `gateway.json`, which the configuration keeps by its type.
    package static func map<Entry, Value: SectionValue>(
        _ name: String, _ meaning: String, of shape: Shape<Entry>, read: @escaping @Sendable (Field) -> Value,
        check: @escaping @Sendable (GatewayConfiguration, Findings) -> Void
    ) -> SectionExtension {
        let form: @Sendable () -> Form = { .map(shape.form(), names: "^[A-Za-z0-9._-]{1,64}$") }
        let kind = Kind.file(isList: false, form: form) { $1[Value.self] = read($0) }
        return SectionExtension(name: name, meaning: meaning, kind: kind, check: check)
    }

    /// A key of entries of `backends.json`.
    package static func backendKey(
        _ name: String, read: @escaping @Sendable (inout ObjectReader, inout ClientEntry) -> Void
    ) -> SectionExtension {
        SectionExtension(name: name, meaning: "", kind: .backendKey(read: read)) { _, _ in }
    }

    /// A key of routes.
    package static func routeKey(
        _ name: String, read: @escaping @Sendable (inout ObjectReader, inout RouteEntry) -> Void
    ) -> SectionExtension {
        SectionExtension(name: name, meaning: "", kind: .routeKey(read: read)) { _, _ in }
    }

    /// A key of entries of `backends.json` that the program is built without: an error where an entry has it and it is not
    /// `false`.
    package static func absentBackendKey(_ name: String) -> SectionExtension {
        backendKey(name) { object, _ in
            if let field: Field = object.take(name), field.node.bool != false { SectionExtension.reportAbsence(field) }
        }
    }

    /// A key of routes that the program is built without: an error where a route has it.
    package static func absentRouteKey(_ name: String) -> SectionExtension {
        routeKey(name) { object, _ in
            if let field: Field = object.take(name) { SectionExtension.reportAbsence(field) }
        }
    }

    /// A section that the program is built without: an error where a configuration has it and it is not empty.
    package static func absent(_ name: String) -> SectionExtension {
        SectionExtension(name: name, meaning: "", kind: .absent) { _, _ in }
    }

    fileprivate static func reportAbsence(_ field: Field) {
        field.error(
            "this program is built without the trait Compatibility", expected: "swift build --traits Compatibility")
    }

    /// Whether files of this name belong to the configuration.
    var hasFile: Bool {
        switch kind {
        case .file, .absent: true
        case .member, .backendKey, .routeKey: false
        }
    }

    /// Whether the section stands in `gateway.json` only.
    var isMember: Bool { if case .member = kind { true } else { false } }

    /// The form of its file; nil without one.
    var form: SectionForm? {
        guard case .file(_, let form, _) = kind else { return nil }
        return SectionForm(name: name, meaning: meaning, form: form())
    }
}

/// What a configuration keeps of a section of another target.
package protocol SectionValue: Sendable {
    /// The value without the section.
    init()
    /// The endpoints that it enables.
    var features: EndpointFeatures { get }
    /// Where browsers log in by forms.
    func loginDomains(_ schemes: [AuthenticationSchemeEntry]) -> [LoginDomain]
    /// Its secrets by their places.
    var secrets: [(pointer: String, value: String?)] { get }
    /// Lifetimes of the tokens that it makes, in seconds.
    var tokenLifetimes: [Int64] { get }
}

extension SectionValue {
    package var features: EndpointFeatures { [] }
    package func loginDomains(_ schemes: [AuthenticationSchemeEntry]) -> [LoginDomain] { [] }
    package var secrets: [(pointer: String, value: String?)] { [] }
    package var tokenLifetimes: [Int64] { [] }
}

extension [SectionExtension] {
    /// Names of the files of sections, those of every gateway included.
    var sectionNames: [String] { GatewayConfiguration.sectionNames + filter(\.hasFile).map(\.name) }

    /// Whether a section is a list; the others are objects.
    func isList(_ section: String) -> Bool {
        for part in self where part.name == section {
            if case .file(let isList, _, _) = part.kind { return isList }
        }
        return GatewayConfiguration.isList(section)
    }

    /// The keys of entries of `backends.json`.
    var backendKeys: [ClientEntry.BackendKey] {
        compactMap { if case .backendKey(let read) = $0.kind { read } else { nil } }
    }

    /// The keys of routes.
    var routeKeys: [RouteEntry.Key] {
        compactMap { if case .routeKey(let read) = $0.kind { read } else { nil } }
    }

    /// Declares the members of `gateway.json` that other targets have, and reads their sections.
    func read(_ root: inout ObjectReader, into configuration: inout GatewayConfiguration) {
        let findings = root.field.findings
        for part in self {
            switch part.kind {
            case .member(let read): read(&root, &configuration)
            case .file(let isList, _, let read):
                root.takeSection(part.name, isList: isList)
                if let field = findings.section(part.name) { read(field, &configuration) }
            case .backendKey, .routeKey: break
            case .absent:
                let _: Field? = root.take(part.name)
                guard let field = findings.section(part.name) else { break }
                let members = field.node.array ?? field.node.members?.filter { $0.name != "$schema" }.map(\.node)
                if members?.isEmpty != true { SectionExtension.reportAbsence(field) }
            }
        }
    }
}
