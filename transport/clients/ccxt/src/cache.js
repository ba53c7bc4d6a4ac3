// The records of a topic: the newest of each id, up to a limit, in the order of their last
// change, and for each reader those that it was not given yet.
export class Cache extends Array {
  // Methods such as filter return plain arrays.
  static get [Symbol.species]() {
    return Array
  }

  constructor(limit, idOf = (record) => record.id) {
    super()
    Object.defineProperties(this, { limit: { value: limit }, idOf: { value: idOf }, unread: { value: new Map() } })
  }

  byId(id) {
    for (let i = this.length - 1; i >= 0; i--) if (this.idOf(this[i]) === id) return this[i]
    return undefined
  }

  // append adds a record, or replaces the one with its id. Unless it is old, it is new for
  // every reader.
  append(record, isOld = false) {
    const id = this.idOf(record)
    for (let i = this.length - 1; i >= 0; i--) {
      if (this.idOf(this[i]) !== id) continue
      this.splice(i, 1)
      break
    }
    this.push(record)
    if (this.length > this.limit) this.shift()
    if (isOld) return
    for (const { accepts, fresh } of this.unread.values()) {
      if (!accepts(record)) continue
      fresh.delete(id)
      fresh.set(id, record)
      if (fresh.size > this.limit) fresh.delete(fresh.keys().next().value)
    }
  }

  // read registers a reader of the records that accepts returns true for.
  read(reader, accepts = () => true) {
    if (!this.unread.has(reader)) this.unread.set(reader, { accepts, fresh: new Map() })
  }

  hasNews(reader) {
    return this.unread.get(reader).fresh.size > 0
  }

  // take returns what is new for a reader, oldest first.
  take(reader) {
    const { fresh } = this.unread.get(reader)
    const records = [...fresh.values()]
    fresh.clear()
    return records
  }
}
