import Dispatch
import Gateway
import Reactor
import Tokens

/// Administration of a running gateway: what the admin listener is asked for is done on the files of the configuration
/// and in force before it is answered.
extension GatewayProcess {
    func administer(_ shared: SharedState) {
        // Weak, since the shared state holds the closures.
        let administration = Administration(
            directory: directory, audit: .gateway(log), tokens: shared.tokens, cleaner: lasting.cleaner
        ) { [self, weak shared] in
            guard let shared, reload(shared).status == 204 else { return false }
            // No worker acts by the old configuration any more when the answer is on its way (MBE-06, POL-01).
            let adopted = DispatchSemaphore(value: 0)
            shared.afterAdoption { adopted.signal() }
            return adopted.wait(timeout: .now() + .seconds(60)) == .success
        }
        lasting.registry.use { [self] change, then in
            administrationQueue.submit { then(administration.perform(change)) }
        }
        shared.onAdministration { [self] request, done in
            administrationQueue.submit { done(administration.handle(request)) }
        }
    }
}
