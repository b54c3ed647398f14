import { expect, it } from 'vitest'
import { findScript, script } from './script'

it('a script is found behind any words, and in front of any words', () => {
  expect(findScript('Please. SCRIPT: [{"text":"a"}] Thank you [or not].')).toEqual([{ text: 'a' }])
})

it('brackets, quotes and escapes inside texts do not end it', () => {
  const steps = [{ text: 'a ] b } c " d \\ e [' }]
  expect(findScript(script(steps))).toEqual(steps)
})

it('the first of two scripts counts, because the second lies inside it', () => {
  const steps = [{ tool: 'Agent', input: { prompt: script([{ text: 'inner' }]) } }]
  expect(findScript(script(steps))).toEqual(steps)
})

it.each(['no script', 'SCRIPT: nothing', 'SCRIPT: [{"text":', 'SCRIPT: [1]', 'SCRIPT: [broken]'])(
  '%s is none',
  (text) => {
    expect(findScript(text)).toBeNull()
  },
)
