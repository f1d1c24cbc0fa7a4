import Bytes
import ClientStore
import Synchronization

extension GatewayClient {
    /// The application's profile, from the cache or the server (OMS-03, OMS-04).
    /// - Parameter asksServer: whether the server is asked also for a profile that is fresh.
    @discardableResult
    public func setup(asksServer: Bool = false) async throws(ClientError) -> ApplicationProfile {
        do throws(ClientError) {
            let profile = try await applicationProfile(asksServer: asksServer)
            delegate?.didReceiveApplicationProfile(profile, error: nil)
            return profile
        } catch {
            delegate?.didReceiveApplicationProfile(nil, error: error)
            throw error
        }
    }

    func applicationProfile(asksServer: Bool = false) async throws(ClientError) -> ApplicationProfile {
        _ = try ClientProfile.required(profile.serviceDomain, "serviceDomain")
        _ = try ClientProfile.required(profile.appName, "appName")
        let kept = cachedProfile
        if let kept, kept.freshUntil > now(), !asksServer {
            return try ApplicationProfile(Array(kept.text.utf8), scope: scope)
        }
        let request = MobileService.profileRequest(profile, scope: scope, etag: kept?.etag)
        let response = try await send(request)
        if response.status == 304, var kept {
            kept.freshUntil = now() + Int64(GatewayClient.freshness(response) ?? 0)
            try change { $0.profile = kept }
            return try ApplicationProfile(Array(kept.text.utf8), scope: scope)
        }
        guard response.status == 200 else { throw ServiceReply(response).refusal }
        let application = try ApplicationProfile(response.body, scope: scope)
        let fresh = CachedProfile(
            scope: scope, text: String(decoding: response.body, as: UTF8.self), etag: response.values("etag").first,
            freshUntil: now() + Int64(GatewayClient.freshness(response) ?? application.cacheSeconds))
        try change { $0.profile = fresh }
        return application
    }

    private var cachedProfile: CachedProfile? {
        live.withLock { $0.session.profile }.flatMap { $0.scope == scope ? $0 : nil }
    }

    /// The effective settings: those of the application, overridden by the last known ones of the server (OMS-22).
    var settings: SessionSettings {
        let application = cachedProfile.flatMap { try? ApplicationProfile(Array($0.text.utf8), scope: scope) }
        return profile.settings.overridden(by: application?.settings ?? SessionSettings())
    }

    /// Seconds of `Cache-Control: max-age`, unless caching is forbidden.
    private static func freshness(_ response: ClientResponse) -> Int? {
        let directives = response.values("cache-control").joined(separator: ",").lowercased().split(separator: ",")
            .map { directive in directive.filter { $0 != " " } }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        for directive in directives where directive.hasPrefix("max-age=") {
            return Decimal.parse(Array(directive.dropFirst("max-age=".count).utf8).span)
        }
        return nil
    }
}
