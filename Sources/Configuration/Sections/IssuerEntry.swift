import Bytes

/// A module that obtains the tokens injected upstream (ISS-01).
package struct IssuerEntry: Sendable {
    /// The modules of this version and their settings.
    package enum Module: Sendable {
        case embedded(EmbeddedModule)
        /// The same token for everybody.
        case fixed(token: Secret)
    }

    package var name: String
    package var module: Module

    private static let modules = ["embedded", "static"]

    static func readAll(_ field: Field) -> [IssuerEntry] {
        var entries: [IssuerEntry] = []
        for (name, place) in field.object("an object of issuers by name").entries {
            if name == "$schema", field.isFileRoot { continue }
            if !WebgateEntry.isName(name) { place.error("invalid issuer name", expected: WebgateEntry.nameRule) }
            entries.append(IssuerEntry(name: name, module: read(place)))
        }
        return entries
    }

    private static func read(_ field: Field) -> Module {
        var object = field.object("an issuer: {\"module\"}")
        let expected = modules.map { "\"\($0)\"" }.joined(separator: " or ")
        guard let name = object.required("module", expected, standIn: nil, { $0.choice(modules) }) else {
            // Which members belong there is unknown without the module.
            return .embedded(EmbeddedModule())
        }
        let module: Module =
            switch name {
            case "static": .fixed(token: fixedToken(&object))
            default: .embedded(EmbeddedModule.read(&object))
            }
        object.finish()
        return module
    }

    private static func fixedToken(_ object: inout ObjectReader) -> Secret {
        let standIn = Secret(value: "", origin: .literal)
        return object.required("token", "a secret", standIn: standIn) { field -> Secret? in
            guard let token = field.secret() else { return nil }
            guard token.value.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                field.error("the token cannot stand in a header field", expected: "visible ASCII without blanks")
                return nil
            }
            return token
        }
    }
}

/// Signs JWTs in the gateway itself (ISS-02).
package struct EmbeddedModule: Sendable {
    /// An asymmetric signature algorithm.
    package var algorithm = "ES256"
    /// Absolute path of a PEM file, made when it is missing; nil for the key of the token service.
    package var keyFile: String?
    package var lifetimeSeconds = 3600
    /// `iss`; nil for that of the token service.
    package var issuer: String?
    /// `aud`; nil for tokens without one.
    package var audience: String?

    static func read(_ object: inout ObjectReader) -> EmbeddedModule {
        EmbeddedModule(
            algorithm: object.value("algorithm", default: "ES256") { field -> String? in
                if let name = field.node.string, SigningAlgorithm.symmetric.contains(name) {
                    // DEC-11: a secret shared with an upstream would let it mint tokens.
                    field.error(
                        "HS algorithms are for tokens that the gateway itself verifies",
                        expected: "one of \(SigningAlgorithm.asymmetric.joined(separator: ", "))", found: "\"\(name)\"")
                    return nil
                }
                return field.choice(SigningAlgorithm.asymmetric)
            },
            keyFile: object.optional("keyFile") { $0.path() },
            lifetimeSeconds: object.value("lifetimeSeconds", default: 3600) { $0.seconds() },
            issuer: object.optional("issuer") { $0.name() },
            audience: object.optional("audience") { $0.name() }
        )
    }
}
