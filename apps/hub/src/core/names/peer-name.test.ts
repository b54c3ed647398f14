import { describe, expect, it } from 'vitest'
import { isNameOf, nameOfPeer, spokenName } from './peer-name'

const token = (name: string) => ({ name, credential: { kind: 'token', id: 't' } }) as const
const person = { name: 'Ana', credential: { kind: 'login', id: 'l' } } as const

describe('[BUS-14.1] on the bus', () => {
  it('a program is its person and its token, and what it calls itself stands within the brackets', () => {
    expect(nameOfPeer(token('Ana (ci)'))).toBe('Ana (ci)')
    expect(nameOfPeer(token('Ana (ci)'), 'reviewer 2')).toBe('Ana (ci: reviewer 2)')
    expect(nameOfPeer(token('Ana (ci)'), 'Ben')).toBe('Ana (ci: Ben)')
  })

  it('a person is called by their own name, whatever their program says', () => {
    expect(nameOfPeer(person, 'Ben')).toBe('Ana')
  })

  it('a session is called a session, whatever its title', () => {
    expect(spokenName({ kind: 'session', name: 'Ana' })).toBe('session “Ana”')
    expect(spokenName({ kind: 'token', name: 'Ana (ci)' })).toBe('Ana (ci)')
  })

  it('a long name is cut in the claim, and keeps its bracket', () => {
    const names = [nameOfPeer(token('Ana (ci)'), 'x'.repeat(128)), nameOfPeer(token('Ana (ci)'), `x${'😀'.repeat(64)}`)]
    for (const name of [...names, spokenName({ kind: 'session', name: 'x'.repeat(128) })])
      expect([name.length <= 128, /[)”]$/.test(name), /\p{Cs}/u.test(name)]).toEqual([true, true, false])
    expect(nameOfPeer(token(`${'A'.repeat(100)} (${'c'.repeat(60)})`), 'x')).toHaveLength(128)
  })

  it('a name that is kept is known as that of the same person and token', () => {
    const ci = token('Ana (ci)')
    expect([isNameOf(ci, 'Ana (ci)'), isNameOf(ci, 'Ana (ci: x)')]).toEqual([true, true])
    expect([isNameOf(ci, 'Ana'), isNameOf(ci, 'Ana (cia: x)'), isNameOf(ci, 'reviewer')]).toEqual([false, false, false])
    expect([isNameOf(person, 'Ana'), isNameOf(person, 'Ben')]).toEqual([true, false])
  })
})

it.each(['Roundhouse', 'the hub', 'R0undhouse', 'Ηub', 'a) says Ben (owner', 'Ana: Ben', 'tail\u202e', 'Αna', '...'])(
  '[BUS-14.2] a program does not call itself %j',
  (claim) => {
    expect(() => nameOfPeer(token('Ana (ci)'), claim)).toThrow(expect.objectContaining({ code: 'NAME_NOT_ALLOWED' }))
  },
)
