import { describe, expect, it } from 'vitest'
import { overrideWith, promptWith } from './turn-override'

describe('a choice for the next prompt alone', () => {
  const sticky = { model: 'large', mode: 'default' }

  it('is kept field by field, and is none where it is what holds anyway', () => {
    const small = overrideWith({}, 'model', 'small', sticky)
    expect(small).toEqual({ model: 'small' })
    expect(overrideWith(small, 'mode', 'plan', sticky)).toEqual({ model: 'small', mode: 'plan' })
    expect(overrideWith(small, 'model', 'large', sticky)).toEqual({})
  })

  it('travels with the prompt, and not as an empty one', () => {
    const prompt = { promptId: 'p', text: 'hello' }
    expect(promptWith(prompt, { mode: 'plan' })).toEqual({ ...prompt, override: { mode: 'plan' } })
    expect(promptWith(prompt, {})).toBe(prompt)
  })
})
