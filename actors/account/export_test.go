package account

// Constants for tests of package account_test.
const (
	ListReadWithin = listReadWithin
	StoreRetry     = storeRetry
)
