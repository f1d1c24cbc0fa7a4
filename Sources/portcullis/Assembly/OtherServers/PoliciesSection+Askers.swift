import Configuration
import HTTP
import Model
import Outbound
import Policy
import Reactor

extension PoliciesSection {
    /// The policy servers that routes may name.
    func askers(_ context: AssemblyContext) -> [PolicyAsker] {
        servers.compactMap { entry in
            let pointer = "/policyServers/\(entry.name)"
            for (place, name) in entry.rules.inputHeaders.enumerated()
            where ManagedNames.standard.contains(Array(name.utf8).span) {
                context.error(
                    "\(pointer)/inputHeaders/\(place)", "\"\(name)\" of clients is removed, since it cannot be believed"
                )
            }
            var transport = OutboundTransport()
            transport.connectTimeoutMilliseconds = entry.connectTimeout.milliseconds
            transport.readTimeoutMilliseconds = entry.readTimeout.milliseconds
            if let tls = entry.tls {
                guard let identity = ClientTLSAssembly(context: context).clientIdentity(tls, at: "\(pointer)/tls")
                else {
                    return nil
                }
                transport.tls = ClientTLSAssembly(context: context).clientContext(identity, at: "\(pointer)/tls")
            }
            let server = PolicyServer(
                name: entry.name, url: entry.url, rules: entry.rules, transport: transport,
                authorization: entry.token.map { "Bearer \($0.value)" })
            return PolicyAsker(server, caller: context.retained.outbound) { Clock.monotonicMicroseconds }
        }
    }
}
