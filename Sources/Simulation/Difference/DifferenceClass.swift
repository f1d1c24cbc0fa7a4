import Bytes
import Model

/// Requests whose decision differs between two configurations in the same way.
package struct DifferenceClass: Sendable {
    /// In the order of their weight.
    package enum Access: String, CaseIterable, Sendable {
        case gained, lost, changed

        /// This one and those of more weight.
        package var andWeightier: ArraySlice<Access> { Access.allCases.prefix { $0 != self } + [self] }
    }

    /// Requests by their methods, and by host, path and conditions, for people.
    struct Place: Sendable, Hashable {
        let methods: String
        let pattern: String

        var text: String { "\(methods) \(pattern)" }
    }

    /// What the class of a property is: what people read, and what programs do.
    package struct Property: Sendable, Hashable {
        package let name: String
        /// One of these.
        package let labels: [String]
        fileprivate let conditions: [JSONNode]

        init(_ axis: Axis, _ places: [Int]) {
            name = axis.name
            labels = places.flatMap { axis.values[$0].labels }
            conditions = places.flatMap { axis.values[$0].conditions }
        }

        /// The entries that it names.
        fileprivate var names: [String] {
            guard ["user", "client", "consumer"].contains(name) else { return [] }
            return conditions.flatMap { $0["in"]?.array?.compactMap(\.string) ?? [] }
        }

        var json: JSONNode {
            .object([("property", .text(name)), ("oneOf", JSONNode(.array(conditions)))])
        }
    }

    /// What differs.
    package struct Change: Sendable, Hashable {
        package let access: Access
        package let before: String
        package let after: String
        /// Fields, tokens, paths and further checks that differ, a line each.
        package let details: [String]
    }

    package let change: Change
    /// The kind of caller, for people.
    package let caller: String
    /// Beside the kind; what does not matter is left out.
    package let properties: [Property]
    let places: [Place]
    /// A request of the class.
    package let witness: RequestDescription
    let source: CallerSource
    fileprivate let cells: [(cell: RequestCell, methods: [String])]

    init(
        _ change: Change, _ source: CallerSource, properties: [Property], witness: RequestDescription,
        cells: [(cell: RequestCell, methods: [String])], places: [Place]
    ) {
        (self.change, self.source, self.properties, self.witness) = (change, source, properties, witness)
        (self.cells, self.places) = (cells, places)
        caller = source.label
    }

    /// The entries whose callers it has.
    var settings: [Setting] {
        let names = properties.flatMap { property in
            property.names.map { name -> Setting in
                switch property.name {
                case "client": .client(name)
                case "consumer": .consumer(name)
                default: .user(name)
                }
            }
        }
        return switch source {
        case .issuer(let name): names + [.issuer(name)]
        case .provider(let name): names + [.provider(name)]
        case .anonymous, .users, .clients, .clientUsers, .consumers: names
        }
    }

    /// For programs.
    package var json: JSONNode {
        let requests = cells.map { cell, methods in
            JSONNode.object([("methods", .texts(methods))] + cell.members)
        }
        return .object([
            ("access", .text(change.access.rawValue)), ("before", .text(change.before)), ("after", .text(change.after)),
            ("details", .texts(change.details)), ("requests", JSONNode(.array(requests))),
            ("caller", source.description), ("properties", JSONNode(.array(properties.map(\.json)))),
            ("witness", witness.expectation),
        ])
    }
}

extension RequestCell {
    fileprivate var members: [(name: String, value: JSONNode)] {
        let segments = path.segments.map { segment -> JSONNode in
            switch segment {
            case .literal(let text): .text(text)
            case .other(let names): .object([("otherThan", .texts(names))])
            }
        }
        let texts = conditions.map { condition in
            let value: JSONNode =
                switch condition.value {
                case .absent: .object([("absent", .flag(true))])
                case .equal(let text): .object([("is", .text(text))])
                case .other(let texts): .object([("otherThan", .texts(texts))])
                }
            return JSONNode.object([
                (condition.isField ? "header" : "query", .text(condition.name)), ("value", value),
            ])
        }
        return [
            ("host", host.map { .text("\($0)") } ?? JSONNode(.null)), ("path", .text(path.pattern)),
            ("segments", JSONNode(.array(segments))), ("deep", .flag(path.isDeep)),
            ("conditions", JSONNode(.array(texts))),
        ]
    }
}

extension RequestDescription {
    /// The request as `expectations.json` describes it.
    package var expectation: JSONNode {
        var members: [(name: String, value: JSONNode)] = [("request", .text("\(method) \(target)"))]
        if let host { members.append(("host", .text(host))) }
        if !fields.isEmpty { members.append(("headers", .object(fields.map { ($0.name, .text($0.value)) }))) }
        if let address, "\(address)" != "127.0.0.1" { members.append(("from", .text("\(address)"))) }
        if !isEncrypted { members.append(("tls", .flag(false))) }
        if let caller = caller.expectation { members.append(("caller", caller)) }
        return .object(members)
    }
}

extension CallerDescription {
    fileprivate var expectation: JSONNode? {
        func object(_ members: [(name: String, value: JSONNode?)]) -> JSONNode {
            .object(members.compactMap { name, value in value.map { (name, $0) } })
        }
        return switch self {
        case .anonymous: nil
        case .token(let issuer, let claims): object([("issuer", .text(issuer)), ("claims", claims)])
        case .login(let provider, let claims): object([("provider", .text(provider)), ("claims", claims)])
        case .client(let id, let user, let scopes):
            object([
                ("client", .text(id)), ("user", user.map(JSONNode.text)),
                ("scopes", scopes.isEmpty ? nil : .texts(scopes)),
            ])
        case .user(let name, let backend): object([("user", .text(name)), ("backend", backend.map(JSONNode.text))])
        case .consumer(let name, let key): object([("consumer", .text(name)), ("key", key.map(JSONNode.text))])
        }
    }
}
