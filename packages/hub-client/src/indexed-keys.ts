/// <reference lib="dom" />
/**
 * Keys in the browser's IndexedDB. It belongs to the origin with its port: a server on another port of the same host does
 * not see it, whatever it does with cookies.
 */
import type { BrowserKey } from './browser-key'
import type { KeyStore } from './key-store'

const DATABASE = 'roundhouse'
const TABLE = 'keys'
const CURRENT = 'current'

export class IndexedKeys implements KeyStore {
  current(): Promise<BrowserKey | null> {
    return this.pending(CURRENT)
  }

  setCurrent(key: BrowserKey): Promise<void> {
    return write((table) => {
      table.clear()
      table.put(key, CURRENT)
    })
  }

  async pending(name: string): Promise<BrowserKey | null> {
    const database = await open()
    return new Promise((resolve, reject) => {
      const asked = database.transaction(TABLE).objectStore(TABLE).get(name)
      asked.onsuccess = () => resolve((asked.result as BrowserKey | undefined) ?? null)
      asked.onerror = () => reject(asked.error)
    })
  }

  setPending(name: string, key: BrowserKey): Promise<void> {
    return write((table) => void table.put(key, name))
  }
}

async function write(work: (table: IDBObjectStore) => void): Promise<void> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(TABLE, 'readwrite', { durability: 'strict' })
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    work(transaction.objectStore(TABLE))
  })
}

let opened: Promise<IDBDatabase> | undefined

/** One connection for the page, and another where the browser closed it (its storage was cleared). */
function open(): Promise<IDBDatabase> {
  opened ??= openDatabase().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(DATABASE, 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE)
    asked.onerror = () => reject(asked.error)
    asked.onsuccess = () => {
      const forget = () => {
        opened = undefined
      }
      asked.result.onclose = forget
      asked.result.onversionchange = () => {
        forget()
        asked.result.close()
      }
      resolve(asked.result)
    }
  })
}
