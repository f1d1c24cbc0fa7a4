/// An endpoint of the gateway: its paths and how requests are handled before its handler.
///
/// A target declares its own, and the program lists them all. The route table, the reservation of paths in `check`, CORS, the queue of costly
/// requests, body limits and configurations for other proxies use that list.
/// Handlers are looked up by descriptor when
/// a configuration is activated.
package struct EndpointDescriptor: Sendable {
    /// How requests are checked and what the handler gets.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Requests contain long-lived secrets: only over TLS where listeners require it.
        package static let takesCredentials = Traits(rawValue: 1)
        /// The handler needs the verified caller. Other endpoints read credentials themselves.
        package static let needsPrincipal = Traits(rawValue: 2)
        /// Accepts form posts of other sites; authenticity comes from the content of the form, not from its origin.
        package static let takesForeignForms = Traits(rawValue: 4)
        /// Serves a page or its form: cross-site requests are refused.
        package static let servesPages = Traits(rawValue: 8)
        /// The same for requests without `Authorization`.
        package static let servesPagesWithoutToken = Traits(rawValue: 16)
        /// A public document, which the handler opens to pages of all origins itself.
        package static let isForAnyOrigin = Traits(rawValue: 32)
        /// Serves the programs of clients, also those in pages of their origins.
        package static let servesClients = Traits(rawValue: 64)
        /// Answered on listeners that redirect to `https` as well.
        package static let precedesRedirect = Traits(rawValue: 128)
    }

    /// The cost class of a response.
    package enum Cost: Sendable {
        /// Cheap.
        case document
        /// May create or verify a signature: waits in the endpoint queue.
        case signature
    }

    /// Largest body of most endpoints.
    package static let usualBody = 65_536

    /// The label of metrics, in snake case. Two endpoints never share one.
    package let name: String
    /// The features that enable it.
    package let needs: EndpointFeatures
    /// Its methods, for `Access-Control-Allow-Methods`.
    package let methods: [UInt8]
    package let traits: Traits
    package let cost: Cost
    /// Limit of the body in bytes; larger ones get a 413 before they are read.
    package let largestBody: Int
    /// A header field whose token may replace the credential; the handler verifies it. Nil for none.
    package let tokenField: String?
    /// What follows the prefix in the path of a generic endpoint; nil for paths outside it.
    package let suffix: String?
    private let others: @Sendable (EndpointSettings) -> [String]

    /// Canonical paths. One that ends in a slash includes everything below it.
    package func paths(_ settings: EndpointSettings) -> [String] {
        (suffix.map { [settings.paths.prefix + $0] } ?? []) + others(settings)
    }

    /// - Parameters:
    ///   - suffix: of a generic endpoint.
    ///   - paths: outside the prefix.
    package init(
        _ name: String, below suffix: String? = nil,
        at paths: @escaping @Sendable (EndpointSettings) -> [String] = { _ in [] }, _ methods: String,
        needs: EndpointFeatures = [], _ traits: Traits = .takesCredentials, cost: Cost = .signature,
        largestBody: Int = usualBody, tokenField: String? = nil
    ) {
        self.name = name
        self.suffix = suffix
        others = paths
        self.methods = Array(methods.utf8)
        self.needs = needs
        self.traits = traits
        self.cost = cost
        self.largestBody = largestBody
        self.tokenField = tokenField
    }

    package init(
        _ name: String, at path: String, _ methods: String, needs: EndpointFeatures = [],
        _ traits: Traits = .takesCredentials, cost: Cost = .signature, largestBody: Int = usualBody,
        tokenField: String? = nil
    ) {
        self.init(
            name, at: { _ in [path] }, methods, needs: needs, traits, cost: cost, largestBody: largestBody,
            tokenField: tokenField)
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
