/// What the connection of a worker to the server of a store is to do.
package protocol StoreCommand: Sendable {
    /// No connection takes it.
    func refuse()
}
