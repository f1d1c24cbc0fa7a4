import Configuration
import Dispatch
import Endpoints
import Gateway
import Identity
import Model
import Reactor
import Simulation
import Synchronization
import TokenStorage

/// Administration of a running gateway: a change is written to the configuration and takes effect before the admin listener
/// responds.
extension GatewayProcess {
    func administer(_ shared: SharedState) {
        // Weak, since the process and the shared state hold the closures.
        let administration = Administration(
            directory: directory, audit: .gateway(log), tokens: shared.tokens, cleaner: retained.cleaner,
            issuerKeys: { [weak shared] in shared?.issuerKeys ?? [] }, refusals: shared.refusals,
            withdrawn: retained.withdrawn,
            servedRules: { [weak self] in
                guard let self else { return nil }
                return state.withLock { state in
                    guard let configuration = state.configuration, let policy = state.policy else { return nil }
                    var rules = RuleSet(policy, of: configuration)
                    rules.settings = state.settings
                    return (rules, configuration.baseURL.host)
                }
            },
            operations: CompatibilityFamilies.operations(of: retained.families),
            reachSeconds: shared.settings.storeLine == nil ? 0 : RevocationFollower.reachSeconds, isServed: true,
            formerFiles: { [weak self] in self?.sectionFiles.withLock { $0 } ?? [] }
        ) { [weak self, weak shared] in
            guard let self, let shared else { return .failed }
            // Responds once no worker uses the old configuration (POL-01) and the store has the revocations for
            // other gateways.
            let isStored = DispatchSemaphore(value: 0)
            let failure = Mutex<StoreFailure?>(nil)
            let answer = reload(shared, unmetExpectations: .warning) { adoption in
                failure.withLock { $0 = adoption.failure }
                isStored.signal()
            }
            guard answer.status == 204, isStored.wait(timeout: .now() + .seconds(60)) == .success else {
                return .failed
            }
            return failure.withLock(\.self).map { .untold($0) } ?? .complete
        }
        retained.registry.use { [weak self, configurationThread] in
            let isAccepted = configurationThread.submit { [weak self] in
                guard let self else { return }
                let waiting = retained.registry.take()
                let results = administration.perform(waiting.map { ($0.change, $0.origin) })
                for (waiting, result) in zip(waiting, results) {
                    SerialQueue.run(atSecond: result.since) { waiting.then(result.outcome) }
                }
            }
            guard !isAccepted, let self else { return }
            for waiting in retained.registry.take() { waiting.then(.failed) }
        }
        shared.onAdministration { [configurationThread, heap = shared.heap] request, done in
            let isAccepted = configurationThread.submit {
                let (response, since) = administration.handle(request)
                heap.request()
                SerialQueue.run(atSecond: since) { done(response) }
            }
            if !isAccepted { done(AdminFailure.unavailable(Administration.busy).response) }
        }
    }
}
