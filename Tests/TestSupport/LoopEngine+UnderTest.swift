import Foundation
package import Reactor

extension LoopEngine {
    /// What the loops of the tests stand on: `deploy/test` runs them with each engine, as the variable says, by which
    /// gateways that tests start go as well.
    package static let underTest =
        ProcessInfo.processInfo.environment[variable].flatMap { LoopEngine(rawValue: $0) } ?? .epoll
}
