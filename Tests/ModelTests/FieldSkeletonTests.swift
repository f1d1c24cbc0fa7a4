import Bytes
import Model
import Testing

@Suite struct FieldSkeletonTests {
    @Test(arguments: [
        ("X-User", true), ("x_user", true), ("X.User", true), ("XUser", true), ("HTTP_X_USER", true),
        ("http-http_x-user", true), ("X-User-", true), ("X-Users", false), ("X-Use", false), ("HTTPXUser", false),
        ("HTTP_", false), ("", false), ("HTTP", false),
    ])
    func matches(_ name: String, _ isSame: Bool) {
        #expect(FieldSkeleton.matches(name.utf8.span, FieldSkeleton.of("X-User")) == isSame)
    }
}
