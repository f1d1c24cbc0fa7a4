/// Whether tokens must be bound to a key or certificate of their client.
enum ProofRule: String, Sendable, CaseIterable {
    case optional, required
}
