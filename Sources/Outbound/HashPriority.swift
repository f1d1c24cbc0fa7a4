/// Whose password is checked first when checks wait for each other.
package enum HashPriority: Int, Sendable {
    /// Of a user who has logged in from this network before.
    case known
    case standard
    /// From a network with wrong passwords a short while ago.
    case suspected
}
