package rest

// Limits of reads, for the external tests.
const (
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
