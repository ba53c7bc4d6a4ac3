package okxsim

// Members of spot, margin trading, options and copy trading. The venue sends them in
// every message, empty where they do not apply, and some clients require them.

type unusedInPosition struct {
	BaseBal                string `json:"baseBal"`
	BaseBorrowed           string `json:"baseBorrowed"`
	BaseInterest           string `json:"baseInterest"`
	DeltaBS                string `json:"deltaBS"`
	DeltaPA                string `json:"deltaPA"`
	GammaBS                string `json:"gammaBS"`
	GammaPA                string `json:"gammaPA"`
	Liab                   string `json:"liab"`
	LiabCcy                string `json:"liabCcy"`
	OptVal                 string `json:"optVal"`
	PendingCloseOrdLiabVal string `json:"pendingCloseOrdLiabVal"`
	QuoteBal               string `json:"quoteBal"`
	QuoteBorrowed          string `json:"quoteBorrowed"`
	QuoteInterest          string `json:"quoteInterest"`
	SpotInUseAmt           string `json:"spotInUseAmt"`
	SpotInUseCcy           string `json:"spotInUseCcy"`
	ThetaBS                string `json:"thetaBS"`
	ThetaPA                string `json:"thetaPA"`
	VegaBS                 string `json:"vegaBS"`
	VegaPA                 string `json:"vegaPA"`
}

type unusedInBalance struct {
	NotionalUsdForBorrow  string `json:"notionalUsdForBorrow"`
	NotionalUsdForFutures string `json:"notionalUsdForFutures"`
	NotionalUsdForOption  string `json:"notionalUsdForOption"`
	NotionalUsdForSwap    string `json:"notionalUsdForSwap"`
}

type unusedInDetail struct {
	AccAvgPx              string `json:"accAvgPx"`
	BorrowFroz            string `json:"borrowFroz"`
	ClSpotInUseAmt        string `json:"clSpotInUseAmt"`
	ColBorrAutoConversion string `json:"colBorrAutoConversion"`
	CollateralEnabled     bool   `json:"collateralEnabled"`
	CollateralRestrict    bool   `json:"collateralRestrict"`
	CrossLiab             string `json:"crossLiab"`
	IsoLiab               string `json:"isoLiab"`
	MaxSpotInUseAmt       string `json:"maxSpotInUseAmt"`
	OpenAvgPx             string `json:"openAvgPx"`
	RewardBal             string `json:"rewardBal"`
	SmtSyncEq             string `json:"smtSyncEq"`
	SpotBal               string `json:"spotBal"`
	SpotCopyTradingEq     string `json:"spotCopyTradingEq"`
	SpotInUseAmt          string `json:"spotInUseAmt"`
	SpotIsoBal            string `json:"spotIsoBal"`
	SpotUpl               string `json:"spotUpl"`
	SpotUplRatio          string `json:"spotUplRatio"`
	TotalPnl              string `json:"totalPnl"`
	TotalPnlRatio         string `json:"totalPnlRatio"`
	Twap                  string `json:"twap"`
	UplLiab               string `json:"uplLiab"`
}

// unusedDetail has the members of unusedInDetail that are zero instead of empty.
var unusedDetail = unusedInDetail{
	ColBorrAutoConversion: "0", RewardBal: "0", SmtSyncEq: "0", SpotCopyTradingEq: "0", SpotIsoBal: "0", Twap: "0",
}

type unusedInFill struct {
	FillFwdPx   string `json:"fillFwdPx"`
	FillMarkVol string `json:"fillMarkVol"`
	FillPxUsd   string `json:"fillPxUsd"`
	FillPxVol   string `json:"fillPxVol"`
}

type unusedInAlgo struct {
	PxLimit      string `json:"pxLimit"`
	PxSpread     string `json:"pxSpread"`
	PxVar        string `json:"pxVar"`
	SzLimit      string `json:"szLimit"`
	TgtCcy       string `json:"tgtCcy"`
	TimeInterval string `json:"timeInterval"`
}

type unusedInInstrument struct {
	AuctionEndTime string `json:"auctionEndTime"`
	MaxPlatOILmt   string `json:"maxPlatOILmt"`
	PosLmtAmt      string `json:"posLmtAmt"`
	PosLmtPct      string `json:"posLmtPct"`
	PreMktSwTime   string `json:"preMktSwTime"`
}

type unusedInTier struct {
	BaseMaxLoan  string `json:"baseMaxLoan"`
	QuoteMaxLoan string `json:"quoteMaxLoan"`
}
