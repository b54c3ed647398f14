import { describe, expect, it } from 'vitest'
import { plainLine } from './plain-line'

describe('a line of Markdown in a list', () => {
  it.each([
    ['**Done.** The `limit` now *blocks*', 'Done. The limit now blocks'],
    ['## Result: ~~three~~ __two__ _left_', 'Result: three two left'],
    ['> - see [the log](https://x.example/a_(b)_c "title") ![shot](x.png)', 'see the log shot'],
    ['**Use `a*b*c` now**', 'Use a*b*c now'],
    ['``a ` b`` and ```ts const x = 1 ```', 'a ` b and ts const x = 1'],
  ])('%s says %s', (markdown, words) => {
    expect(plainLine(markdown)).toBe(words)
  })

  it.each(['2 * 3 * 4', 'a snake_case_name and __init__.py', '**/*.ts', 'an open ` tick', '#', '[x](', '-1 > 0'])(
    'what only looks like a mark stays: %s',
    (text) => {
      expect(plainLine(text)).toBe(text)
    },
  )
})
