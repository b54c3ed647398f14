import { describe, expect, it } from 'vitest'
import { requireOwnName, requirePlainName, requireTokenName } from './display-names'
import { skeletonOf } from './look-alikes'

const refused = { code: 'NAME_NOT_ALLOWED' }
const taking =
  (name: string, others: string[] = []) =>
  () =>
    requireOwnName(name, others)

describe('a display name', () => {
  it.each([
    ['Ana', 'ana', 'ANA', ' A n a ', 'Аnа', 'Αna', 'Ána', 'Ａｎａ', 'ᴀɴᴀ', 'A.n.a'],
    ['Alice', 'AIice', 'A1ice', 'Аӏісе', '𝐀𝐥𝐢𝐜𝐞', 'Al\u0131ce'],
    ['Vera Moor', 'Vera rnoor', 'VERA M00R'],
    ['Борис', 'БОРИС', 'Бοpиc'],
  ])('[AUTH-3] that looks like %s has one skeleton with it', (name, ...alike) => {
    for (const other of alike) expect([other, skeletonOf(other)]).toEqual([other, skeletonOf(name)])
  })

  it('[AUTH-3] of somebody else is taken in no spelling', () => {
    for (const name of ['ana', 'Aｎa', 'ΑΝΑ', 'A\u00a0na']) {
      expect(taking(name, ['Ben', 'Ana'])).toThrowError(expect.objectContaining(refused))
    }
    expect(taking('Anna', ['Ana'])()).toBe('Anna')
    expect(taking('Ana 2', ['Ana'])()).toBe('Ana 2')
  })

  it.each([
    ['Owner', 'The Owner', 'Owner Ana', '0wner', 'Оwner', 'ADMIN', 'Hub admin', 'operator', 'Viewer', 'approver'],
    ['hub', 'The hub', 'Roundhouse', 'Roundhouse Team', 'Roundh0use', 'H u b', 'TheHub'],
    ['machine', 'System', 'Stranger', 'the machine', 'Somebody unknown', 'you'],
    ['agent:agt_1', 'agent：agt_1', 'Ana (CI)', 'Ana （CI）', 'Ana [x]'],
    ['Ana\u200b', 'Ana\u202eneB', 'Ana\u0007', 'A\u00adna', 'Ana\u3164', '', ' ', '...', '\u2800'],
    ['Anа', 'Βen', 'Ꭺna'],
  ])('[AUTH-3] is not %s, nor anything of its kind', (...names) => {
    for (const name of names) {
      expect(taking(name), JSON.stringify(name)).toThrowError(expect.objectContaining(refused))
    }
  })

  it('[AUTH-3] that holds a role among other words is refused by that word', () => {
    const message = 'Choose another name. “Operator” looks like a role, or like the hub.'
    expect(taking('Olga Operator')).toThrowError(expect.objectContaining({ ...refused, message }))
    expect(taking('Owner')).toThrowError('Choose another name. It looks like a role, or like the hub.')
    expect(taking('Olga Petrova')()).toBe('Olga Petrova')
  })

  it('is whatever people are called', () => {
    const names = [
      'Ana',
      'Zoë Müller-Lüdenscheidt',
      "O'Brien",
      'José',
      '李小龙',
      'Анна Иванова',
      'Νίκος',
      'محمد',
      'x',
      'Huber',
      'Ana 2',
    ]
    for (const name of names) expect(taking(name)()).toBe(name.normalize('NFKC'))
    expect(taking('  Ana \u00a0 Maria ')()).toBe('Ana Maria')
  })

  it('[AUTH-3] of a token closes no bracket, so that neither name can be read as a part of the other', () => {
    for (const name of ['x) Owner (', 'x］', 'a:b', 'x\u2066']) {
      expect(() => requirePlainName(name)).toThrowError(expect.objectContaining(refused))
    }
    expect(requirePlainName('nightly run')).toBe('nightly run')
  })

  it('[CHAN-3.5] of a program’s token is not shown as a chat of its person is', () => {
    for (const name of ['Telegram', 'te legram', 'TELEGRÁM', 'Te1egram'])
      expect(() => requireTokenName(name)).toThrowError(expect.objectContaining(refused))
    expect(requireTokenName('Telegram bridge of the team')).toBe('Telegram bridge of the team')
  })
})
