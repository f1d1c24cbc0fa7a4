/// Why another server was not reached, or has not answered as it must, for operators. Made where connections are made, and
/// the same for all that make them.
package struct ConnectionFailure: Error, Sendable, Hashable {
    /// How far a connection came.
    package enum Step: String, Sendable {
        case resolve, connect, tls, request
    }

    /// URL without its query, which may have secrets; or another name of the place.
    package let target: String
    /// The address that was tried last; nil if there is none yet.
    package let address: String?
    package let step: Step
    /// The reason that the system or the TLS library gives.
    package let reason: String

    package init(_ target: String, at address: String? = nil, _ step: Step, _ reason: String) {
        self.target = target
        self.address = address
        self.step = step
        self.reason = reason
    }

    package init(_ url: WebURL, at address: String? = nil, _ step: Step, _ reason: String) {
        self.init("\(url.origin)\(url.path)", at: address, step, reason)
    }

    package var text: String { "\(target)\(address.map { " at \($0)" } ?? ""): \(step.rawValue): \(reason)" }
}
