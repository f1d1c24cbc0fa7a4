/// An endpoint of the gateway as a value: where it is, and how a request for it is treated before its handler gets it.
///
/// Each family of endpoints lists its own (`EndpointFamily`). The route table, the reservation of paths in `check`, CORS,
/// the queue of costly requests and the limits of bodies read those lists; the handler is found by the descriptor when
/// a configuration is put into force.
package struct EndpointDescriptor: Sendable {
    /// How a request is screened, and what its handler gets.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Clients send secrets that outlive the request: only over TLS where listeners require that.
        package static let takesCredentials = Traits(rawValue: 1)
        /// The handler needs the verified caller. Other endpoints read credentials themselves.
        package static let needsPrincipal = Traits(rawValue: 2)
        /// Accepts form posts of other sites; authenticity comes from the content of the form, not from its origin.
        package static let takesForeignForms = Traits(rawValue: 4)
        /// Answers with a page or to its form: cross-site requests are refused.
        package static let servesPages = Traits(rawValue: 8)
        /// The same for requests without `Authorization`.
        package static let servesPagesWithoutToken = Traits(rawValue: 16)
    }

    /// What an answer may cost.
    package enum Cost: Sendable {
        /// The answer is ready, or cheap.
        case document
        /// It may take a signature or the verification of one: waits in the endpoint queue.
        case signature
    }

    /// Largest body of most endpoints.
    package static let usualBody = 65_536

    /// The label of metrics, in snake case. Two endpoints never share one.
    package let name: String
    /// What must be configured for it.
    package let needs: EndpointFeatures
    /// Its methods, as in `Access-Control-Allow-Methods`.
    package let methods: [UInt8]
    package let traits: Traits
    package let cost: Cost
    /// Largest body in bytes; larger ones are answered with 413 before they are read.
    package let largestBody: Int
    /// Canonical paths. One that ends in a slash stands for everything below it.
    package let paths: @Sendable (EndpointSettings) -> [String]

    init(
        _ name: String, at paths: @escaping @Sendable (EndpointSettings) -> [String], _ methods: String,
        needs: EndpointFeatures = [], _ traits: Traits = .takesCredentials, cost: Cost = .signature,
        largestBody: Int = usualBody
    ) {
        self.name = name
        self.paths = paths
        self.methods = Array(methods.utf8)
        self.needs = needs
        self.traits = traits
        self.cost = cost
        self.largestBody = largestBody
    }

    init(
        _ name: String, at path: String, _ methods: String, needs: EndpointFeatures = [],
        _ traits: Traits = .takesCredentials, cost: Cost = .signature, largestBody: Int = usualBody
    ) {
        self.init(
            name, at: { _ in [path] }, methods, needs: needs, traits, cost: cost, largestBody: largestBody)
    }
}

extension EndpointDescriptor: Hashable, CustomStringConvertible {
    // The name determines the rest.
    package static func == (left: EndpointDescriptor, right: EndpointDescriptor) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name in camel case, for people.
    package var description: String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce("\(words[0])") { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}
