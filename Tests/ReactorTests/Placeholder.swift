import Testing

@Test func placeholderReactor() {}
