package rest

// Limits, for the external tests.
const (
	ConnsPerAddressMax     = connsPerAddressMaxDefault
	ReadsPerKeyMax         = readsPerKeyMax
	RowsPerSecondKey       = rowsPerSecondKey
	RowsBurstKey           = rowsBurstKey
	RowsPerSecondProcessor = rowsPerSecondProcessor
	RowsBurst              = rowsBurst
	ListWaitMax            = listWaitMax
	RecordBytes            = recordBytes
	UnsentBytesMax         = unsentBytesMax
	UnsentBytesPerKeyMax   = unsentBytesPerKeyMax
	WriteTimeout           = writeTimeout
)
