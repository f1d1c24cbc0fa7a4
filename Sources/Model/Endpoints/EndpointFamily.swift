/// A family of endpoints and its reserved paths.
package struct EndpointFamily: Sendable {
    /// A reserved pattern in addition to the paths of the endpoints.
    struct Reservation: Sendable {
        let pattern: String
        /// None: always reserved.
        let needs: EndpointFeatures

        init(_ pattern: String, needs: EndpointFeatures = []) {
            self.pattern = pattern
            self.needs = needs
        }
    }

    /// In order of precedence.
    package let endpoints: [EndpointDescriptor]
    let reservations: [Reservation]

    init(_ endpoints: [EndpointDescriptor], reserved reservations: [Reservation] = []) {
        self.endpoints = endpoints
        self.reservations = reservations
    }
}
