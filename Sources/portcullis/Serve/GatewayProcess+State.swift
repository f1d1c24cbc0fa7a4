import Configuration
import Declaration
import Policy
import Simulation

extension GatewayProcess {
    /// What reloads replace.
    struct State {
        var generation: UInt64 = 0
        var configuration: GatewayConfiguration?
        /// The rules in force.
        var policy: PolicySnapshot?
        /// What the files said, to compare with them.
        var settings: [Setting: [UInt8]] = [:]
        /// The values of the configuration at the start that a reload cannot apply.
        var startValues = StartValues()
        /// The listeners of the workers, by the last valid configuration.
        var bound: BoundListeners?
    }
}
