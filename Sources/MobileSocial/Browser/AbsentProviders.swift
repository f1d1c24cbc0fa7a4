import Endpoints
import Model
import Outbound

/// The endpoints of identity providers where browsers are sent to none: their paths are then inside those of the service
/// domains, which have no such service.
package enum AbsentProviders {
    package static let handlers: [EndpointDescriptor: EndpointHandler] = [
        .providerCallback: { _, _ in .deny(.unknownService) },
        .providerLogout: { _, _ in .deny(.unknownService) },
    ]
}
