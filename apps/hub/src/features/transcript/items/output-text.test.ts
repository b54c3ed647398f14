import { describe, expect, it } from 'vitest'
import type { Item } from './items'
import { withoutSaid } from './output-text'

const said = (text: string): Item => ({ type: 'assistant', text, partial: false, key: 'e-1', seq: 1, at: 0 })

describe('withoutSaid', () => {
  it('leaves out the answer of a sub-agent that stands among its steps, and keeps what else came', () => {
    expect(withoutSaid('All is well.\n', [said('Looking.'), said('All is well.')])).toBeNull()
    expect(withoutSaid('All is well.\nagentId: a1', [said('All is well.')])).toBe('agentId: a1')
    expect(withoutSaid('Something else.', [said('All is well.')])).toBe('Something else.')
    expect(withoutSaid('Alone.', [])).toBe('Alone.')
  })
})
