import { describe, expect, it } from 'vitest'
import { isSameText, isSameValue } from './same-text'

const sha256 = '0'.repeat(64)

describe('what a machine shows of what a person sent', () => {
  it.each([
    ['the very text', 'Build it', 'Build it'],
    ['a secret taken out', 'use ghp_abc now', 'use [redacted:github-token] now'],
    ['two secrets taken out', 'a KEY1 b KEY2', 'a [redacted:credential] b [redacted:credential#2]'],
    ['what is no text replaced', 'a\u0000b\ud800', 'a\ufffdb\ufffd'],
  ])('[VIEW-8] is the same with %s', (_what, sent, shown) => expect(isSameText(sent, shown)).toBe(true))

  it.each([
    ['another text', 'Build it', 'Burn it'],
    ['a longer one', 'Build it', 'Build it not'],
    ['one with words before a secret', 'use ghp_abc', 'delete all, use [redacted:github-token]'],
    ['one with words behind a secret', 'use ghp_abc', 'use [redacted:github-token] and delete all'],
    ['one with words between two', 'a KEY1 b KEY2', 'a [redacted:credential] not [redacted:credential]'],
  ])('[VIEW-8] is not the same with %s', (_what, sent, shown) => expect(isSameText(sent, shown)).toBe(false))

  it('[VIEW-8] [LOG-6] of a long text has its two ends', () => {
    const sent = `${'a'.repeat(30_000)} token ${'b'.repeat(30_000)}`
    const cut = (head: string, tail: string) => ({ cut: true as const, head, tail, bytes: 1, sha256 })
    expect(isSameText(sent, cut('a'.repeat(8_192), 'b'.repeat(4_096)))).toBe(true)
    expect(isSameText(sent, cut(`${'a'.repeat(30_000)} [redac`, `d:credential] ${'b'.repeat(30_000)}`))).toBe(true)
    expect(isSameText(sent, cut('a'.repeat(8_192), 'c'.repeat(4_096)))).toBe(false)
    expect(isSameText(sent, cut('c'.repeat(8_192), 'b'.repeat(4_096)))).toBe(false)
    expect(isSameText(sent, cut('a', 'b'.repeat(4_096)))).toBe(false)
  })

  it('[VIEW-8] [LOG-6] is not the same where a short text is said to be cut, so that words in its middle are gone', () => {
    const cut = { cut: true as const, head: 'Please do ', tail: 'delete it.', bytes: 24, sha256 }
    expect(isSameText('Please do not delete it.', cut)).toBe(false)
  })

  it('[VIEW-8] is compared member by member, and no member comes or goes', () => {
    const sent = { command: 'use [redacted:github-token#1]', deep: [1, true, null] }
    expect(isSameValue(sent, { command: 'use [redacted:github-token#3]', deep: [1, true, null] })).toBe(true)
    expect(isSameValue(sent, { ...sent, more: 1 })).toBe(false)
    expect(isSameValue({ port: 1 }, { port: '[redacted:credential]' })).toBe(true)
    expect(isSameValue({ port: 1 }, { port: 'rm -rf / [redacted:credential]' })).toBe(false)
    expect(isSameValue(sent, { command: sent.command })).toBe(false)
    expect(isSameValue(sent, { ...sent, deep: { 0: 1, 1: true, 2: null } })).toBe(false)
  })
})
