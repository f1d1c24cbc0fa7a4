import Model

extension GatewaySnapshot {
    /// What plain listeners answer, if all of them redirect to `https`.
    package var plainRedirect: HTTPSRedirect? {
        let plain = listeners.filter { $0.tls == nil }.map(\.rules)
            .filter { !$0.role.isControl && $0.role != .forwardAuth }
        return plain.allSatisfy { $0.redirect != nil } ? plain.first?.redirect : nil
    }
}
