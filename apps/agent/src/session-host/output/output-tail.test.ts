import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../redact/redactor'
import { KEPT, OutputTail } from './output-tail'

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `line ${String(from + n).padStart(6, '0')}\n`).join('')
const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${'MIIEow'.repeat(10)}\n`.repeat(25)}-----END RSA PRIVATE KEY-----\n`

/** What a viewer has before it in the end. */
function shown(...pushes: Array<string | { skipped: string }>): string {
  const tail = new OutputTail()
  let text = ''
  for (const push of pushes) {
    if (typeof push === 'string') tail.push(push)
    else tail.push(push.skipped, true)
    const next = tail.take()
    if (next) text = next.anew ? next.text : text + next.text
  }
  return text
}

describe('the end of an output', () => {
  it('is what comes, as it comes', () => {
    const tail = new OutputTail()
    tail.push('one\n')
    tail.push('tw')
    expect(tail.take()).toEqual({ anew: false, text: 'one\ntw' })
    expect(tail.take()).toBeNull()
    tail.push('o\n')
    expect(tail.take()).toEqual({ anew: false, text: 'o\n' })
  })

  it('begins anew at a whole line where more came than is kept', () => {
    const tail = new OutputTail()
    tail.push(lines(0, 10))
    tail.take()
    tail.push(lines(10, 5_000))
    const next = tail.take()
    expect(next?.anew).toBe(true)
    expect(next?.text).toMatch(/^line \d{6}\n/)
    expect(next?.text.endsWith('line 004999\n')).toBe(true)
    expect(next?.text.length).toBeLessThanOrEqual(KEPT)
  })

  it('begins anew now and then, so that no more is held than a part of it', () => {
    const tail = new OutputTail()
    let length = 0
    let longest = 0
    for (let n = 0; n < 20_000; n += 100) {
      tail.push(lines(n, n + 100))
      const next = tail.take()
      length = (next?.anew ? 0 : length) + (next?.text.length ?? 0)
      longest = Math.max(longest, length)
    }
    expect(longest).toBeLessThanOrEqual(65_536)
    expect(length).toBeGreaterThan(1_000)
  })

  it('has the lines that stood above where it begins anew', () => {
    const end = shown(...Array.from({ length: 60 }, (_, n) => lines(n * 100, n * 100 + 100)))
    expect(end.split('\n').length).toBeGreaterThan(300)
  })

  it('shows nothing of a line whose beginning is gone', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    expect(shown('first\n', { skipped: `${token.slice(6)} and so on\nnext line\n` })).toBe('next line\n')
    expect(shown({ skipped: token.slice(6) })).toBe('')
    expect(shown('x'.repeat(KEPT * 2))).toBe('')
  })

  it('shows nothing of a private key whose beginning is gone', () => {
    for (let cut = 0; cut < key.length; cut += 7) {
      const text = shown('before\n', { skipped: `${key.slice(cut)}after\n` })
      expect(createRedactor([])(text).text, `from ${cut}`).not.toContain('MIIEow')
      expect(text.endsWith('after\n')).toBe(true)
    }
  })

  it('leaves a whole private key to the redactor', () => {
    const text = shown({ skipped: `cut\n${key}between\n${key}after\n` })
    expect(createRedactor([])(text).text).toBe('[redacted:private-key]\nbetween\n[redacted:private-key]\nafter\n')
  })

  it('ends with the whole lines that are kept, and says whether that is all', () => {
    const tail = new OutputTail()
    tail.push('one\ntw')
    expect(tail.end()).toEqual({ text: 'one\ntw', isWhole: true })
    tail.push(lines(0, 5_000))
    expect(tail.end()).toMatchObject({ isWhole: false, text: expect.stringMatching(/^line 00/) })
  })
})
