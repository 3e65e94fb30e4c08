"""A retrieval benchmark mined from the documentation and code of other packages."""
