import { beforeEach, describe, expect, it, vi } from 'vitest'
import { isOwner, leaveNothing, ownStore, takeOver } from './own-store'

describe('what a person leaves in the browser', () => {
  let kept: Record<string, string>
  beforeEach(() => {
    kept = {}
    const store = {
      getItem: (key: string) => kept[key] ?? null,
      setItem: (key: string, value: string) => {
        kept[key] = value
      },
      removeItem: (key: string) => {
        delete kept[key]
      },
    }
    // Names are read as the browser gives them: the keys of the object.
    const named = new Proxy(store, {
      ownKeys: () => Object.keys(kept),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    })
    vi.stubGlobal('localStorage', named)
  })
  const own = ['roundhouse.draft.s1', 'roundhouse.answer.r1', 'roundhouse.last-session']
  const write = () => {
    for (const key of own) ownStore.set(key, 'of Ana')
    kept['roundhouse.theme'] = 'dark'
  }
  const left = () => Object.keys(kept).filter((key) => kept[key] === 'of Ana')

  it('stays for the same login, and for a later one of the same person', () => {
    takeOver('key1', 'ana')
    write()
    expect(isOwner('key1')).toBe(true)
    expect(isOwner('key2')).toBe(false)
    takeOver('key2', 'ana')
    expect(left()).toEqual(own)
    expect(ownStore.get('roundhouse.draft.s1')).toBe('of Ana')
  })

  it('is gone once somebody else has signed in', () => {
    takeOver('key1', 'ana')
    write()
    takeOver('key2', 'ben')
    expect(left()).toEqual([])
    expect(kept['roundhouse.theme']).toBe('dark')
  })

  it('is gone where nobody knows whose it is', () => {
    kept['roundhouse.draft.s1'] = 'of Ana' // by a page of before
    expect(isOwner('key1')).toBe(false)
    takeOver('key1', 'ana')
    expect(left()).toEqual([])
  })

  it('is neither read, changed nor lost while the hub has not said whose the login is', () => {
    takeOver('key1', 'ana')
    write()
    isOwner('key2')
    expect(ownStore.get('roundhouse.draft.s1')).toBeNull()
    ownStore.set('roundhouse.draft.s1', 'of Ben')
    ownStore.drop('roundhouse.answer.r1')
    expect(left()).toEqual(own)
  })

  it('is gone when the person signs out, and a tab that is still open adds nothing', () => {
    takeOver('key1', 'ana')
    write()
    leaveNothing()
    ownStore.set('roundhouse.draft.s1', 'of Ana')
    expect(left()).toEqual([])
  })

  it('a tab of the login before reads and writes nothing once another has taken over', () => {
    takeOver('key1', 'ana')
    kept['roundhouse.login'] = 'key2' // by another tab
    kept['roundhouse.draft.s1'] = 'of Ben'
    write()
    expect(left()).toEqual([])
    expect(ownStore.get('roundhouse.draft.s1')).toBeNull()
  })
})
