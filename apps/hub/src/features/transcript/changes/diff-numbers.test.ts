import { describe, expect, it } from 'vitest'
import { numbersOf } from './diff-numbers'
import { editRows, patchRows } from './diff-rows'

const told = (rows: ReturnType<typeof editRows>) => rows.map((row) => numbersOf(rows).get(row) ?? null)

describe('numbersOf', () => {
  it('counts the lines of both sides', () => {
    expect(told(editRows('a\nb\n', 'a\nc\n'))).toEqual([{ before: 1, after: 1 }, { before: 2 }, { after: 2 }])
  })

  it('begins where the head of a hunk says', () => {
    expect(told(patchRows('@@ -10,2 +12,1 @@\n x\n-y'))).toEqual([null, { before: 10, after: 12 }, { before: 11 }])
  })
})
