import Policy

/// The order of work: a grant costs as much as several requests that are forwarded, and a client that asks for one waits
/// for a signature anyway. So grants stand in a line, and the loop serves what else has come before each of them.
extension Worker {
    /// The request for an endpoint is whole.
    func enterLine(_ exchange: Exchange) {
        guard exchange.endpoint?.isCostly == true else {
            exchanges.clearClientDeadline(exchange)
            callEndpoint(exchange)
            return
        }
        exchanges.park(exchange, in: .inEndpoint)
        endpointLine.append(exchange)
    }

    /// Serves one of the line, and leaves the others for the next turns: those who have asked for other things meanwhile
    /// wait for one signature, however many clients ask for tokens.
    func serveLine() {
        guard let exchange = endpointLine.next() else { return }
        exchanges.clearClientDeadline(exchange)
        callEndpoint(exchange)
    }
}

extension Endpoint {
    /// Whether an answer may take a signature or the check of one. Documents are made already.
    fileprivate var isCostly: Bool {
        switch self {
        case .token, .exchange, .revocation, .introspection, .applicationToken, .applicationRevocation,
            .applicationRevocationOfAll, .applicationUsers, .mobileSocial, .mobileLogout, .browserLogin,
            .providerCallback, .providerLogout, .applicationLogin, .userProfile, .singleSignOn, .singleSignOnPages:
            true
        case .jwks, .metadata, .whoAmI, .providerMetadata, .singleSignOnRedirect: false
        }
    }
}
