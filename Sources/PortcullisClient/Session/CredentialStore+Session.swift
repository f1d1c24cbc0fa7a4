import Bytes
import ClientStore

extension CredentialStore {
    /// The stored state of the client.
    func session() throws(ClientError) -> SessionState { try state(storedSession()) }

    /// Changes the current stored state of the client, and returns the result.
    func changeSession(_ body: (inout SessionState) -> Void) throws(ClientError) -> SessionState {
        var outcome = SessionState()
        try changeStoredSession { stored throws(ClientError) in
            outcome = try state(stored)
            body(&outcome)
            stored = outcome == SessionState() ? nil : outcome.node
        }
        return outcome
    }

    private func state(_ stored: JSONNode?) throws(ClientError) -> SessionState {
        guard let stored else { return SessionState() }
        do throws(MalformedStore) { return try SessionState(stored) } catch { throw damaged }
    }
}
