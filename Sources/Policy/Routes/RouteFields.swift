import Bytes
import HTTP
import Identity
import Model

/// A route's field rules in the form used by the data plane. A class, so that requests share it by one reference.
package final class RouteFields: Sendable {
    /// A field line in parts.
    package struct Line: Sendable {
        package enum Piece: Sendable {
            case text([UInt8])
            case user, issuer, roles, clientIP, requestID, userinfo
            /// Index of a claim among those that principals keep.
            case claim(Int)
        }

        /// From the name to the line end; what stays the same is in as few pieces as possible.
        package let pieces: [Piece]
        /// Whether the gateway's own answers include it: not if they write that field themselves.
        package let isOwn: Bool

        init(_ line: FieldRules.Line, _ claims: ClaimSelection) {
            isOwn = HeaderToken.lookup(line.name.utf8.span) == .other
            var pieces: [Piece] = []
            var constant = Array("\(line.name): ".utf8)
            for piece in line.value.pieces {
                guard let value = Line.value(piece, claims) else {
                    if case .text(let text) = piece { constant += text.utf8 }
                    continue
                }
                if !constant.isEmpty { pieces.append(.text(constant)) }
                constant = []
                pieces.append(value)
            }
            self.pieces = pieces + [.text(constant + "\r\n".utf8)]
        }

        /// Nil for text.
        private static func value(_ piece: FieldTemplate.Piece, _ claims: ClaimSelection) -> Piece? {
            switch piece {
            case .text: nil
            case .user: .user
            case .issuer: .issuer
            case .roles: .roles
            case .clientIP: .clientIP
            case .requestID: .requestID
            case .userinfo: .userinfo
            // The selection was made from these rules.
            case .claim(let path): .claim(claims.index(of: path) ?? 0)
            }
        }
    }

    package let lines: [Line]
    /// Skeletons of the names of received fields that are removed.
    private let dropped: [[UInt8]]
    private let own: [OwnFieldName]
    /// Names of all fields that are written or removed.
    package let names: [[UInt8]]

    /// Whether a received field is removed.
    package func drops(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        let name = bytes.slice(field.name)
        for i in dropped.indices {
            if FieldSkeleton.matches(name, dropped[i]) { return true }
        }
        return false
    }

    /// Whether an upstream may take a received field for one that is removed, although it has another name.
    package func isImitated(by field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        let name = bytes.slice(field.name)
        for own in own where own.isImitated(by: name) { return true }
        return false
    }

    init?(_ rules: FieldRules?, _ claims: ClaimSelection) {
        guard let rules else { return nil }
        lines = rules.lines.map { Line($0, claims) }
        dropped = rules.dropped.map(FieldSkeleton.of)
        own = rules.dropped.map(OwnFieldName.init)
        names = own.map(\.name) + rules.add.map { Array($0.name.utf8) }
    }
}

extension RouteOptions {
    /// The fields that the upstream gets. Where messages are judged, it is asked for answers that can be read.
    var sentFields: FieldRules? {
        guard mcp != nil, let identity = try? FieldTemplate("identity", constant: { _ in nil }) else {
            return requestFields
        }
        var rules = requestFields ?? FieldRules()
        rules.set = rules.set.filter { $0.name.lowercased() != "accept-encoding" }
        rules.set.append(FieldRules.Line(name: "Accept-Encoding", value: identity))
        return rules
    }
}

extension FieldRules {
    /// The claims used in values.
    var claims: [ClaimPath] { lines.flatMap(\.value.claims) }
    var usesUserinfo: Bool { lines.contains { $0.value.pieces.contains(.userinfo) } }
}
