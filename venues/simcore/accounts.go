package simcore

import (
	"slices"

	"github.com/shopspring/decimal"
)

// AccountRequest describes a new account or changes to one. Absent fields keep
// their value, or get their default in a new account.
type AccountRequest struct {
	// ID of a new account; default account-1, account-2, ...
	ID          string
	Credentials *Credentials
	Balance     *decimal.Decimal
	Mode        *PositionMode
	Permissions *Permissions
}

// AccountInfo is an account with its credentials.
type AccountInfo struct {
	ID          string
	Credentials Credentials
	Balance     decimal.Decimal
	Mode        PositionMode
	Permissions Permissions
}

// CreateAccount opens a funded account. Without credentials in the request they
// are derived from the seed and the account's id.
func (x *Exchange) CreateAccount(request AccountRequest) (AccountInfo, error) {
	x.mu.Lock()
	defer x.unlock()
	id := request.ID
	for id == "" {
		x.accountSeq++
		if next := accountID(x.accountSeq); x.accounts[next] == nil {
			id = next
		}
	}
	if x.accounts[id] != nil {
		return AccountInfo{}, reject(ReasonDuplicateAccount)
	}
	a := x.addAccount(id)
	if request.Credentials != nil {
		delete(x.byKey, a.credentials.APIKey)
		a.credentials = *request.Credentials
		x.byKey[a.credentials.APIKey] = a
	}
	if request.Balance != nil {
		a.wallet = *request.Balance
	}
	a.set(request)
	x.state.touchAccount(a)
	return a.info(), nil
}

// addAccount adds an account with the defaults of the exchange.
func (x *Exchange) addAccount(id string) *account {
	a := &account{
		id: id, rules: &x.options, wallet: x.options.StartBalance,
		credentials: x.options.Credentials.derive(x.options.Seed, id),
		permissions: Permissions{Read: true, Trade: true},
		feeMaker:    x.options.FeeMaker, feeTaker: x.options.FeeTaker,
		holdings: map[string]*holding{}, open: map[int64]*Order{},
		orders: map[int64]*Order{}, byClientID: map[string]*Order{},
		updatedAt: x.clock.Now(),
	}
	x.accounts[id] = a
	x.byKey[a.credentials.APIKey] = a
	at, _ := slices.BinarySearch(x.ids, id)
	x.ids = slices.Insert(x.ids, at, id)
	return a
}

func (a *account) set(request AccountRequest) {
	if request.Mode != nil {
		a.mode = *request.Mode
	}
	if request.Permissions != nil {
		a.permissions = *request.Permissions
	}
}

func (a *account) info() AccountInfo {
	return AccountInfo{
		ID: a.id, Credentials: a.credentials, Balance: a.wallet, Mode: a.mode, Permissions: a.permissions,
	}
}

// UpdateAccount sets balance, position mode and permissions. A change of the
// position mode is rejected while there are orders or positions.
func (x *Exchange) UpdateAccount(id string, request AccountRequest) (AccountInfo, error) {
	x.mu.Lock()
	defer x.unlock()
	a, rejection := x.account(id)
	if rejection != nil {
		return AccountInfo{}, rejection
	}
	if request.Mode != nil && *request.Mode != a.mode {
		if rejection := a.checkModeChange(); rejection != nil {
			return AccountInfo{}, rejection
		}
	}
	if request.Balance != nil {
		x.setBalance(a, *request.Balance)
	}
	a.set(request)
	x.state.touchAccount(a)
	x.settle()
	return a.info(), nil
}

func (x *Exchange) setBalance(a *account, balance decimal.Decimal) {
	change := balance.Sub(a.wallet)
	if change.IsZero() {
		return
	}
	id := x.changeWallet(a, WalletChange{Cause: CauseTransfer, Amount: change})
	x.emit(AccountEvent{Account: a.id, Reason: AccountDeposit, Change: change, ChangeID: id, Balance: a.balance()})
	for _, name := range a.symbols {
		x.symbols[name].marginsDue = true
	}
}

// Accounts returns the accounts, sorted by id.
func (x *Exchange) Accounts() []AccountInfo {
	x.mu.Lock()
	defer x.mu.Unlock()
	infos := make([]AccountInfo, 0, len(x.ids))
	for _, id := range x.ids {
		infos = append(infos, x.accounts[id].info())
	}
	return infos
}

// AccountByKey returns the account with an API key.
func (x *Exchange) AccountByKey(apiKey string) (AccountInfo, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, ok := x.byKey[apiKey]
	if !ok {
		return AccountInfo{}, false
	}
	return a.info(), true
}

// Account returns a consistent snapshot of one account.
func (x *Exchange) Account(id string) (AccountView, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.view(id)
}

// view is Account with the lock held.
func (x *Exchange) view(id string) (AccountView, error) {
	a, rejection := x.account(id)
	if rejection != nil {
		return AccountView{}, rejection
	}
	return a.view(), nil
}
