import Configuration
import Gateway
import Model
import Outbound

extension TracingEntry {
    /// What sends the spans; nil after an error.
    func tracer(_ context: AssemblyContext) -> Tracer? {
        var transport = OutboundTransport()
        if let tls {
            guard let identity = ClientTLSAssembly(context: context).clientIdentity(tls, at: "/tracing/tls") else {
                return nil
            }
            transport.tls = ClientTLSAssembly(context: context).clientContext(identity, at: "/tracing/tls")
        }
        return Tracer(
            settings, transport: transport, authorization: authorization?.value, version: ProgramVersion.number,
            caller: context.retained.outbound)
    }
}
