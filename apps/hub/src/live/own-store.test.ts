import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepOwn, leaveNothing, takeOver } from './own-store'

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
  const as = (userId: string) => vi.fn(async () => ({ userId }))
  const own = ['roundhouse.draft.s1', 'roundhouse.answer.r1', 'roundhouse.last-session']
  const write = () => {
    for (const key of own) keepOwn(key, 'of Ana')
    kept['roundhouse.theme'] = 'dark'
  }
  const left = () => Object.keys(kept).filter((key) => kept[key] === 'of Ana')

  it('stays for the same login, of which the hub is not asked again, and for a later one of the same person', async () => {
    await takeOver('key1', as('ana'))
    write()
    const again = as('ana')
    await takeOver('key1', again)
    expect(again).not.toHaveBeenCalled()
    await takeOver('key2', as('ana'))
    expect(left()).toEqual(own)
  })

  it('is gone once somebody else has signed in, and before their page reads it', async () => {
    await takeOver('key1', as('ana'))
    write()
    await takeOver('key2', as('ben'))
    expect(left()).toEqual([])
    expect(kept['roundhouse.theme']).toBe('dark')
  })

  it('is gone when the person signs out, and a tab that is still open adds nothing', async () => {
    await takeOver('key1', as('ana'))
    write()
    leaveNothing()
    keepOwn('roundhouse.draft.s1', 'of Ana')
    expect(left()).toEqual([])
  })

  it('a tab of the login before writes nothing once another has taken over', async () => {
    await takeOver('key1', as('ana'))
    kept['roundhouse.login'] = 'key2' // by another tab
    write()
    expect(left()).toEqual([])
  })

  it('is kept while the hub does not say whose the login is', async () => {
    await takeOver('key1', as('ana'))
    write()
    const away = async () => Promise.reject(new Error('away'))
    await expect(takeOver('key2', away)).rejects.toThrow('away')
    expect(left()).toEqual(own)
  })
})
