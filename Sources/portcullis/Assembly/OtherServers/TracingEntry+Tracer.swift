import Configuration
import Gateway
import Model
import Outbound

extension TracingEntry {
    /// What sends the spans; nil after an error.
    func tracer(_ assembly: inout Assembly) -> Tracer? {
        var transport = OutboundTransport()
        if let tls {
            guard let identity = assembly.identity(tls, at: "/tracing/tls") else { return nil }
            transport.tls = assembly.clientContext(identity, at: "/tracing/tls")
        }
        return Tracer(
            settings, transport: transport, authorization: authorization?.value, version: ProgramVersion.number,
            caller: assembly.retained.outbound)
    }
}
