// Venuegate as an exchange of CCXT. README.md describes how to move a bot to it.
//
// The class is a chain of one file a concern: rest.js, markets.js, account.js, records.js,
// trading.js, stream.js, watch_markets.js and watch_account.js.
import { WatchAccount } from './watch_account.js'

export class venuegate extends WatchAccount {}
export default venuegate
