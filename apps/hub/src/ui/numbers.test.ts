import { describe, expect, it } from 'vitest'
import { dollars } from './text/dollars'
import { shortCount } from './text/short-count'

describe('numbers in little room', () => {
  it.each([
    [0, '0'],
    [940, '940'],
    [1_000, '1k'],
    [6_240, '6.2k'],
    [200_000, '200k'],
    [999_600, '1M'],
    [1_500_000, '1.5M'],
  ])('%d is %s', (count, text) => {
    expect(shortCount(count)).toBe(text)
  })

  it.each([
    [0, '$0.00'],
    [0.0002, '<$0.01'],
    [0.1, '$0.10'],
    [12.345, '$12.35'],
  ])('%d dollars are %s', (amount, text) => {
    expect(dollars(amount)).toBe(text)
  })
})
