import Bytes
import Identity

extension Principal {
    /// Appends the fields that tell an upstream who is calling. Each line ends in CRLF.
    package func appendIdentity(to chunk: Chunk) {
        chunk.append("X-Gateway-User: ")
        chunk.append(subjectField)
        chunk.append("\r\nX-Gateway-Issuer: ")
        chunk.append(issuerField)
        chunk.append("\r\nX-Gateway-Roles: ")
        chunk.append(roleField)
        if !clientField.isEmpty {
            chunk.append("\r\nX-Gateway-Client: ")
            chunk.append(clientField)
        }
        if !backendField.isEmpty {
            chunk.append("\r\nX-Gateway-Backend: ")
            chunk.append(backendField)
        }
        let consumer = consumerField
        if !consumer.isEmpty {
            chunk.append("\r\nX-Gateway-Consumer: ")
            chunk.append(consumer)
        }
        chunk.append("\r\n")
    }
}

extension RouteFields.Line.Piece {
    /// Appends what the piece says of the caller; false where that is missing. Pieces about the request append nothing.
    package func append(_ principal: Principal?, to chunk: Chunk) -> Bool {
        guard let principal else { return false }
        switch self {
        case .user: chunk.append(principal.subjectField)
        case .issuer: chunk.append(principal.issuerField)
        case .roles:
            if principal.roleField.isEmpty { return false }
            chunk.append(principal.roleField)
        case .claim(let index):
            let fields = principal.claims.fields
            guard index < fields.count, !fields[index].isEmpty else { return false }
            chunk.append(fields[index])
        case .userinfo:
            if principal.claims.userinfo.isEmpty { return false }
            chunk.append(principal.claims.userinfo)
        case .text, .clientIP, .requestID: return false
        }
        return true
    }
}
