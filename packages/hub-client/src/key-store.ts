/**
 * Where keys lie. `current` is the key of the newest sign-in; it stays after sign-out, because wrong passwords of a browser that
 * signed in before are counted apart. A `pending` key belongs to a sign-in that left for the identity provider.
 */
import type { BrowserKey } from './browser-key'

export interface KeyStore {
  current(): Promise<BrowserKey | null>
  /** Every pending key is dropped. */
  setCurrent(key: BrowserKey): Promise<void>
  pending(name: string): Promise<BrowserKey | null>
  setPending(name: string, key: BrowserKey): Promise<void>
}

/** For programs outside a browser, and for a page whose browser keeps nothing. */
export class MemoryKeys implements KeyStore {
  #current: BrowserKey | null = null
  readonly #pending = new Map<string, BrowserKey>()

  async current(): Promise<BrowserKey | null> {
    return this.#current
  }

  async setCurrent(key: BrowserKey): Promise<void> {
    this.#current = key
    this.#pending.clear()
  }

  async pending(name: string): Promise<BrowserKey | null> {
    return this.#pending.get(name) ?? null
  }

  async setPending(name: string, key: BrowserKey): Promise<void> {
    this.#pending.set(name, key)
  }
}
