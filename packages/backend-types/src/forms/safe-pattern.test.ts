import { describe, expect, it } from 'vitest'
import { answerProblems } from '../adapter/check-answers'
import { isFound, safePattern } from './safe-pattern'

const found = (source: string, text: string) => {
  const pattern = safePattern(source)
  return pattern && isFound(pattern, text)
}

/** The same numbers in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    yield state / 4_294_967_296
  }
}

const atoms = ['a', 'b', '.', '[ab]', '[^a]', '[a-c]', '\\d', '\\w', '\\S', '^', '$', '-', '1']
const times = ['', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?']

function somePattern(next: () => number, depth: number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T
  const part = () => {
    const isGroup = depth > 0 && next() < 0.3
    const atom = isGroup ? `(${pick(['', '?:'])}${somePattern(next, depth - 1)})` : pick(atoms)
    return atom === '^' || atom === '$' ? atom : atom + pick(times)
  }
  const sequence = () => Array.from({ length: 1 + Math.floor(next() * 3) }, part).join('')
  return Array.from({ length: next() < 0.3 ? 2 : 1 }, sequence).join('|')
}

describe('a pattern of a JSON schema', () => {
  it('[PERM-2] finds what a regular expression finds: 3,000 of them in 8 texts each', () => {
    const random = numbers(7)
    const next = () => random.next().value
    const different: unknown[] = []
    for (let n = 0; n < 3_000; n++) {
      const source = somePattern(next, 2)
      for (let m = 0; m < 8; m++) {
        const text = Array.from({ length: Math.floor(next() * 6) }, () => 'abc1-\n'[Math.floor(next() * 6)]).join('')
        if (found(source, text) !== new RegExp(source, 'u').test(text)) different.push([source, text])
      }
    }
    expect(different).toEqual([])
  })

  it.each([
    ['^[A-Z]{2}-\\d{3,}$', 'AB-1234', true],
    ['^[A-Z]{2}-\\d{3,}$', 'AB-12', false],
    ['^[\\w.+\\-]+@[\\w\\-]+\\.\\w+$', 'ana.b@example.com', true],
    ['^(?<year>\\d{4})-(0[1-9]|1[0-2])$', '2026-11', true],
    ['^(?<year>\\d{4})-(0[1-9]|1[0-2])$', '2026-13', false],
    ['^\\u{1F600}\\u0041\\x42$', '\u{1F600}AB', true],
    ['^.$', '\u{1F600}', true],
    ['^{a}$', '{a}', true],
    ['^[^]$', 'x', true],
    ['[]', 'x', false],
    ['', '', true],
  ])('%s in %j: %s', (source, text, expected) => {
    expect(found(source, text)).toBe(expected)
  })

  it.each(['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(a?){500}a{500}', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '[PERM-2.14] %s takes no longer for a text that was made to hold it up',
    (source) => {
      expect(found(source, `${'a'.repeat(9_999)}!`)).toBeDefined()
    },
  )

  it('[PERM-2.15] [A50] a form whose patterns are too much work for all its texts says so, and holds nobody up', () => {
    const field = (name: string) =>
      ({ kind: 'text', name, label: name, required: false, pattern: '(?:a?){400}b' }) as const
    const names = Array.from({ length: 100 }, (_, n) => `f${n}`)
    const answers = Object.fromEntries(names.map((name) => [name, 'a'.repeat(4_000)]))
    const problems = answerProblems({ from: 'sums', fields: names.map(field) }, answers)
    expect(problems.at(-1)?.message).toContain('too much work')
    expect(answerProblems({ from: 'sums', fields: [field('one')] }, { one: 'aab' })).toEqual([])
  })

  it('[PERM-2.14] [PERM-2.15] a class counts as much as it has members', () => {
    const text = 'a'.repeat(300)
    const workOf = (members: number) => {
      const [pattern, work] = [safePattern(`^[${'\\d'.repeat(members)}a]{300}b`), { left: 1_000_000 }]
      if (pattern === null) throw new Error('it is one that can be matched')
      expect(isFound(pattern, text, work)).toBe(false)
      return 1_000_000 - work.left
    }
    expect(workOf(200) - workOf(100)).toBe(100 * 300)
    const field = { kind: 'text', name: 'x', label: 'x', required: true } as const
    const problems = (pattern: string) =>
      answerProblems({ from: 'sums', fields: [{ ...field, pattern }] }, { x: `${text}b` }).map(({ message }) => message)
    expect(problems(`[${'\\d'.repeat(490)}a]{300}b`)).toEqual([expect.stringContaining('too much work')])
    expect(problems('[A-Za-z0-9_.-]{1,300}')).toEqual([])
  })

  it.each([
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '\\bword',
    '\\p{L}',
    'a**',
    '^*',
    '(a',
    'a)',
    '[a',
    '[z-a]',
    'a{3,1}',
    '\\',
    '(a{100}){100}',
    '('.repeat(400) + ')'.repeat(400),
    'a'.repeat(1_001),
  ])('[PERM-2.15] is none that can be matched here: %s', (source) => {
    expect(safePattern(source)).toBeNull()
  })
})
