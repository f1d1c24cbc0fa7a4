import Testing

@testable import Gateway

@Suite("stages of an exchange") struct ExchangeStageTests {
    private static let stages = Array(sequence(first: Exchange.Stage.deciding, next: next))

    /// The stage behind another one in the list of all; without a default, so that a new stage cannot be left out.
    private static func next(_ stage: Exchange.Stage) -> Exchange.Stage? {
        switch stage {
        case .deciding: .verifyingCredential
        case .verifyingCredential: .askingPolicy
        case .askingPolicy: .awaitingToken(.firstAttempt)
        case .awaitingToken(.firstAttempt): .awaitingToken(.repetition)
        case .awaitingToken(.repetition): .collectingBody(.endpoint)
        case .collectingBody(.endpoint): .collectingBody(.administration(.revocations))
        case .collectingBody(.administration): .collectingBody(.upstream)
        case .collectingBody(.upstream): .collectingBody(.message)
        case .collectingBody(.message): .inEndpoint
        case .inEndpoint: .forwarding
        case .forwarding: .tunnelling
        case .tunnelling: .finished
        case .finished: nil
        }
    }

    @Test("every stage may end, and nothing follows the end", arguments: stages)
    func ends(_ stage: Exchange.Stage) {
        #expect(stage.leads(to: .finished))
        #expect(stage == .finished || !Exchange.Stage.finished.leads(to: stage))
    }

    @Test("nothing is forwarded before its decision, its token or its body is there", arguments: stages)
    func forwards(_ stage: Exchange.Stage) {
        let may: [Exchange.Stage] = [.deciding, .collectingBody(.upstream), .forwarding]
        #expect(stage.leads(to: .forwarding) == may.contains(stage))
        #expect(stage.leads(to: .tunnelling) == (stage == .forwarding))
    }

    @Test("a token is issued again only for a request that was forwarded", arguments: stages)
    func repeats(_ stage: Exchange.Stage) {
        #expect(stage.leads(to: .awaitingToken(.repetition)) == (stage == .forwarding))
        #expect(stage != .inEndpoint || !stage.leads(to: .deciding))
    }
}
