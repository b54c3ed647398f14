import { describe, expect, it } from 'vitest'
import { hiddenHost } from './hidden-host'

describe('hiddenHost', () => {
  it.each([
    ['https://example.com/a', 'the docs', 'example.com'],
    ['https://evil.example/login', 'https://bank.example/login', 'evil.example'],
    ['https://evil.example', 'bank.example', 'evil.example'],
    ['https://bank.example@evil.example/', 'bank.example', 'evil.example'],
    ['http://localhost:3000/x', 'the page', 'localhost:3000'],
    ['mailto:a@example.com', 'write to us', 'a@example.com'],
  ])('%s behind “%s” leads to %s', (href, text, host) => {
    expect(hiddenHost(href, text)).toBe(host)
  })

  it.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['https://example.com/a', 'https://example.com/…'],
    ['https://example.com/', 'example.com'],
    ['mailto:a@example.com', 'a@example.com'],
    ['not an address', 'whatever'],
  ])('%s says with “%s” where it leads', (href, text) => {
    expect(hiddenHost(href, text)).toBeNull()
  })
})
