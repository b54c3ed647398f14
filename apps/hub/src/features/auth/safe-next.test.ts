import { describe, expect, it } from 'vitest'
import { safeNext } from './safe-next'

describe('safeNext', () => {
  it('leads back to a path of our own', () => {
    expect(safeNext('/sessions/abc')).toBe('/sessions/abc')
  })

  it.each([
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
  ])('leads %j home', (next) => {
    expect(safeNext(next)).toBe('/')
  })
})
