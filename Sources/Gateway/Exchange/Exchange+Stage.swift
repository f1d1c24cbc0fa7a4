import TokenStorage

extension Exchange {
    /// Where an exchange stands. From `deciding` on it may be parked, waiting for a mailbox message; a parked stage says what
    /// it waits for and how it goes on.
    enum Stage: Equatable {
        /// The worker has it in its hands: the steps of the decision are taken.
        case deciding
        /// The caller is being identified: a pool of threads checks a password, a store or a server a token. The decision
        /// waits in `Exchange.decision`.
        case verifyingCredential
        /// The token for the upstream is being issued.
        case awaitingToken(TokenUse)
        /// The whole body of the request is being read.
        case collectingBody(BodyUse)
        /// A gateway endpoint is at work on a pool of threads, or waits for a reply.
        case inEndpoint
        /// The request is on its way to the upstream, or the response on its way back.
        case forwarding
        /// The upstream has agreed to an upgrade, and bytes go both ways.
        case tunnelling
        /// The response is written.
        case finished

        /// Every transition: the stages that may follow each.
        func leads(to next: Stage) -> Bool {
            switch (self, next) {
            // Any request may be answered or abandoned.
            case (_, .finished): true
            case (.deciding, .verifyingCredential), (.deciding, .awaitingToken(.firstAttempt)): true
            case (.deciding, .collectingBody), (.deciding, .inEndpoint), (.deciding, .forwarding): true
            // A verification may be done at once, or one step of it lead to another.
            case (.deciding, .deciding): true
            case (.verifyingCredential, .verifyingCredential), (.verifyingCredential, .deciding): true
            case (.awaitingToken, .deciding): true
            case (.collectingBody, .inEndpoint): true
            case (.collectingBody(.upstream), .forwarding): true
            case (.inEndpoint, .inEndpoint): true
            // The upstream has refused the token, or agreed to an upgrade.
            case (.forwarding, .awaitingToken(.repetition)), (.forwarding, .forwarding), (.forwarding, .tunnelling):
                true
            default: false
            }
        }
    }

    /// What a token that is being issued is for.
    enum TokenUse: Equatable {
        case firstAttempt
        /// The upstream has refused the token before: the request is repeated.
        case repetition
    }

    /// What a body is read whole for.
    enum BodyUse: Equatable {
        case endpoint
        case administration(AdminResource)
        /// The request may have to be repeated.
        case upstream
    }
}
