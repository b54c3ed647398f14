import { describe, expect, it } from 'vitest'
import { filterOf, searchOf } from './filter'

const read = (search: string) => filterOf(new URLSearchParams(search))

describe('the filter of sessions', () => {
  it('comes back from the address as it was put there', () => {
    const filter = { text: 'a & b', status: 'idle', backend: 'codex', runs: 'false', archived: 'true' } as const
    expect(read(searchOf(filter))).toEqual(filter)
  })

  it('leaves out what is empty, and what was put away', () => {
    expect(read('?text=&status=')).toEqual({ archived: 'false' })
    expect(searchOf({ archived: 'false' })).toBe('')
  })

  it('takes nothing from the address that it does not know', () => {
    expect(read('?cursor=x&archived=yes&runs=x&limit=9')).toEqual({ archived: 'false' })
  })
})
