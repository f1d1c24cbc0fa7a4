extension Exchange {
    /// State of an exchange. After `deciding` it may be parked until a mailbox message arrives; a parked stage says
    /// what it waits for and how it continues.
    enum Stage: Equatable {
        /// The worker is running the steps of the decision.
        case deciding
        /// The caller is being authenticated: a thread pool checks a password, or a store or server a token. The
        /// decision waits in `Exchange.decision`.
        case verifyingCredential
        /// A policy server is being asked. The decision waits in `Exchange.decision`.
        case askingPolicy
        /// The upstream's token is being issued.
        case awaitingToken(TokenUse)
        /// The whole request body is being read.
        case collectingBody(BodyUse)
        /// A gateway endpoint is running on a thread pool or waiting for a reply.
        case inEndpoint
        /// The request is being sent to the upstream, or the response received.
        case forwarding
        /// The upstream has accepted an upgrade; bytes are relayed both ways.
        case tunnelling
        /// The response is written.
        case finished

        /// The state machine: which stages may follow each.
        func leads(to next: Stage) -> Bool {
            switch (self, next) {
            // Any exchange may be answered or abandoned.
            case (_, .finished): true
            case (.deciding, .verifyingCredential), (.deciding, .awaitingToken(.firstAttempt)): true
            case (.deciding, .collectingBody), (.deciding, .inEndpoint), (.deciding, .forwarding): true
            // A verification may complete immediately, or lead to another one.
            case (.deciding, .deciding): true
            case (.verifyingCredential, .verifyingCredential), (.verifyingCredential, .deciding): true
            case (.deciding, .askingPolicy), (.askingPolicy, .deciding): true
            case (.awaitingToken, .deciding): true
            case (.collectingBody, .inEndpoint): true
            case (.collectingBody(.upstream), .forwarding), (.collectingBody(.message), .deciding): true
            case (.inEndpoint, .inEndpoint): true
            // The upstream refused the token, or accepted an upgrade.
            case (.forwarding, .awaitingToken(.repetition)), (.forwarding, .forwarding), (.forwarding, .tunnelling):
                true
            default: false
            }
        }
    }

    /// Purpose of a token being issued.
    enum TokenUse: Equatable {
        case firstAttempt
        /// The upstream refused the previous token; the request is repeated.
        case repetition
    }

    /// Why a body is read as a whole.
    enum BodyUse: Equatable {
        case endpoint
        case administration(AdminResource)
        /// The request may have to be repeated.
        case upstream
        /// The decision needs it.
        case message
    }
}
