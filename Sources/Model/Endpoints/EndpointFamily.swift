/// Endpoints that belong together, and the paths that routes leave to them.
package struct EndpointFamily: Sendable {
    /// A pattern that no route may be inside of, beside the paths of the endpoints.
    struct Reservation: Sendable {
        let pattern: String
        /// Nothing: reserved also while the family is off.
        let needs: EndpointFeatures

        init(_ pattern: String, needs: EndpointFeatures = []) {
            self.pattern = pattern
            self.needs = needs
        }
    }

    /// In the order of precedence, where a path is covered by two.
    package let endpoints: [EndpointDescriptor]
    let reservations: [Reservation]

    init(_ endpoints: [EndpointDescriptor], reserved reservations: [Reservation] = []) {
        self.endpoints = endpoints
        self.reservations = reservations
    }
}
