import Bytes
import Identity

/// The parts of a route's challenges that are the same for every request, rendered once.
struct ChallengeText: Sendable {
    /// `OAM-Auth realm="<WebGateName>:<level> `; empty without a Webgate (CHAL-05).
    let beforeTarget: [UInt8]
    let beforeContext: [UInt8]
    let afterContext: [UInt8]
    /// `Bearer realm="..."` (CHAL-04, CHAL-05).
    let bearer: [UInt8]
    /// `Basic realm="..."` (SCH-01).
    let basic: [UInt8]
    /// What the context is sealed about.
    let webgateName: [UInt8]
    let level: Int

    init(webgate: Webgate?, level: Int) {
        self.level = level
        let name = webgate?.name ?? ""
        webgateName = Array(name.utf8)
        // DEC-04: one blank between level and target. Names need no quoting (CHAL-08).
        beforeTarget = webgate == nil ? [] : Array(#"OAM-Auth realm="\#(name):\#(level) "#.utf8)
        beforeContext = Array(#"", request-ctx=""#.utf8) + RequestContext.opening
        afterContext = RequestContext.closing(webgate: webgateName) + [ASCII.quote]
        basic = Array(#"Basic realm="\#(webgate?.name ?? "portcullis")", charset="UTF-8""#.utf8)
        bearer = Array(#"Bearer realm="\#(webgate?.name ?? "portcullis")""#.utf8)
    }
}
