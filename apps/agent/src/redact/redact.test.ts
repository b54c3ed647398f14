import { describe, expect, it } from 'vitest'
import { LiveRedactor } from './live'
import { createRedactor, credentialsOf } from './redactor'
import { cleanValue } from './value'

const redact = createRedactor(['hunter2hunter2'])
// Put together here, so that no scanner takes this file for a leak.
const githubToken = `ghp_${'a1B2'.repeat(9)}`
const anthropicKey = `sk-ant-${'api03-xYz9'.repeat(3)}`
const keyBlock = [
  '-----BEGIN OPENSSH PRIVATE',
  ' KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH PRIVATE',
  ' KEY-----',
].join('')

describe('redaction', () => {
  it.each([
    ['a token by its prefix', `use ${githubToken} now`, 'use [redacted:github-token] now'],
    ['the longer of two prefixes', anthropicKey, '[redacted:anthropic-key]'],
    ['a private key', `before\n${keyBlock}\nafter`, 'before\n[redacted:private-key]\nafter'],
    ['a private key without its end', keyBlock.slice(0, 50), '[redacted:private-key]'],
    ['a line of an environment file', 'DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted:assignment]'],
    ['a random value after a colon', 'api_key: "q8Zk20fLp3Xv77bM"', 'api_key: "[redacted:assignment]"'],
    ['the password of an address', 'postgres://app:s3cret@db/x', 'postgres://app:[redacted:password]@db/x'],
    [
      'an authorization header',
      'Authorization: Bearer abcdef0123456789',
      'Authorization: Bearer [redacted:authorization]',
    ],
    ["the environment's own credential", 'echo hunter2hunter2', 'echo [redacted:credential]'],
  ])('[T85] takes out %s', (_what, text, expected) => {
    expect(redact(text)).toEqual({ text: expected, count: 1 })
  })

  it.each([
    'const token: string = read()',
    'password = getpass()',
    'PASSWORD=$DB_PASSWORD',
    'tokens: 12345678',
    'the secret of good bread is time',
    'maxOutputTokens: 32000',
  ])('leaves ordinary text alone: %s', (text) => {
    expect(redact(text)).toEqual({ text, count: 0 })
  })

  it.each([
    ['a flag', '--api-key=q8Zk20fLp3Xv77bM', '--api-key=[redacted:assignment]'],
    ['a definition', '-DPASSWORD=correcthorse', '-DPASSWORD=[redacted:assignment]'],
    ['a value that has a name itself', 'env=TOKEN=correcthorse', 'env=TOKEN=[redacted:assignment]'],
    ['a web token behind a dash', `id-${['eyJhbGciOiJI', 'eyJzdWIiOiIx', 'c2lnbmF0dXJl'].join('.')}`, '[redacted:jwt]'],
  ])('[T85] takes out %s', (_what, text, expected) => {
    expect(redact(text)).toEqual({ text: expected, count: 1 })
  })

  // Each of them keeps a rule that begins anew at every place busy for days.
  it.each([
    ['words with dashes', 'a-', ' key'],
    ['numbers with dots', '1.', ' key'],
    ['names of secrets', 'token-', ''],
    ['names and signs', 'token=', ''],
    ['beginnings of web tokens', '-eyJaaaaaaaa', ''],
    ['halves of web tokens', 'eyJaaaaaaaa.', ''],
    ['beginnings of keys', '-----BEGIN PRIVATE KEY-----\n', ''],
    ['beginnings of beginnings', 'PRIVATE KEY-----BEGIN ', ''],
    ['blanks behind a name', ' ', 'token: '],
    ['blanks behind names', 'token        ', ''],
    ['addresses', '//a:', ''],
    ['prefixes', 'sk-', ''],
    ['headers', 'bearer ', ''],
    ['dots', 'SG.', ''],
  ])('[LOG-9] [FLOW-3] reads 2 MiB of %s in time', (_what, piece, end) => {
    redact(`token: ${piece.repeat(Math.ceil(2_097_152 / piece.length))}${end}`)
  })

  it('finds the credentials of an environment by name', () => {
    expect(credentialsOf({ PATH: '/bin', MY_API_KEY: 'abcdefgh', GH_TOKEN: 'abcdefghij', SHORT_TOKEN: 'x' })).toEqual([
      'abcdefghij',
      'abcdefgh',
    ])
  })

  it('[LOG-9] cleans a value in depth, counts, and leaves the original as it was', () => {
    const value = { env: { API_TOKEN: 'abcdefgh12' }, lines: [`x ${githubToken}`, 'plain'], n: 1, none: null }
    const before = structuredClone(value)
    expect(cleanValue(value, redact)).toEqual({
      value: {
        env: { API_TOKEN: '[redacted:assignment]' },
        lines: ['x [redacted:github-token]', 'plain'],
        n: 1,
        none: null,
      },
      redacted: 2,
      lossy: false,
    })
    expect(value).toEqual(before)
  })

  it('[T4] replaces what is no text and says so', () => {
    expect(cleanValue({ text: 'a\0b\ud800c\u{1F600}' }, redact)).toEqual({
      value: { text: 'a\uFFFDb\uFFFDc\u{1F600}' },
      redacted: 0,
      lossy: true,
    })
  })

  it('[T2] survives a value that is nested ten thousand deep', () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 10_000; i++) deep = [deep]
    expect(cleanValue(deep, redact).lossy).toBe(true)
  })
})

describe('redaction of live text', () => {
  const play = (pieces: string[]) => {
    const live = new LiveRedactor(redact)
    return pieces.map((piece) => live.push(piece)).concat(live.flush())
  }

  it('[LOG-9.5] holds the unfinished word back', () => {
    expect(play(['Hel', 'lo wor', 'ld'])).toEqual(['', 'Hello ', '', 'world'])
  })

  it('[LOG-9.5] shows nothing of a token that arrives in pieces', () => {
    const pieces = [...`key ${githubToken} end`]
    expect(play(pieces).join('')).toBe('key [redacted:github-token] end')
  })

  it('[LOG-9] judges a value together with the name before it', () => {
    expect(play(['api_key: ', 'q8Zk20fLp3', 'Xv77bM ok']).join('')).toBe('api_key: [redacted:assignment] ok')
  })

  it('[LOG-9] swallows a private key line by line', () => {
    expect(play([...`see\n${keyBlock}\ndone`]).join('')).toBe('see\n[redacted:private-key]\ndone')
  })

  it('lets a word go that is longer than may be held', () => {
    expect(play(['x'.repeat(300)])[0]).toBe('x'.repeat(300))
  })

  it('passes ordinary text through unchanged, however it is cut', () => {
    const text = 'one two\n\n  three\tfour\n'
    for (let at = 0; at <= text.length; at++) {
      expect(play([text.slice(0, at), text.slice(at)]).join('')).toBe(text)
    }
  })
})
