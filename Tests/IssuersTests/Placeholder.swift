import Testing

@Test func placeholderIssuers() {}
