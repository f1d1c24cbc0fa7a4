import Bytes
import Identity
import Issuers
import MobileSocial
import Model
import Outbound

/// What a Mobile & Social server answers to the calls of oam-wire 8.2.
struct MobileSocialServer: Sendable {
    /// The name of a call, and what it is answered instead.
    var refused: [String: OutboundResult] = [:]
    /// Members of every answer besides.
    var more = ""

    var caller: ScriptedCaller { ScriptedCaller { answer(to: $0, $1) } }

    func answer(to call: OutboundCall, _ number: Int) -> OutboundResult {
        let name = call.url.target.split(separator: "/").last.map(String.init) ?? ""
        return refused[name] ?? answer(name, number)
    }

    private func answer(_ name: String, _ number: Int) -> OutboundResult {
        let type = ["register": "CLIENTREGHANDLE", "authenticate": "USERTOKEN", "access": "ACCESSTOKEN"][name] ?? ""
        return .json(
            """
            {"X-Idaas-Rest-Provider-Type": "OAM_11G", "X-Idaas-Rest-Token-Type": "\(type)",
             "X-Idaas-Rest-Token-Value": "\(name)-%2F\(number)", "X-Idaas-Rest-User-Principal": "jdoe"\(more)}
            """)
    }
}
