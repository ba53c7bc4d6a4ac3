// The copy of CCXT that the class under test extends; another copy has other classes of errors.
export default (await import(process.env.CCXT ?? 'ccxt')).default
