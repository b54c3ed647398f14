import { describe, expect, it } from 'vitest'
import { thinkingChoices } from './manifest-options'

const levels = ['Low', 'High'].map((label) => ({ code: label.toLowerCase(), label }))

describe('thinkingChoices', () => {
  it('shows what holds when nothing is set, and never a level that the program did not choose', () => {
    expect(thinkingChoices(levels, undefined)).toMatchObject({
      value: '',
      options: [{ label: 'Thinking: Default' }, {}, {}],
    })
    const [low, high] = levels
    expect(thinkingChoices([low, { ...high, default: true }] as typeof levels, undefined)).toMatchObject({
      value: 'high',
    })
    expect(thinkingChoices(levels, 'high')).toMatchObject({ value: 'high', options: [{}, {}] })
  })
})
