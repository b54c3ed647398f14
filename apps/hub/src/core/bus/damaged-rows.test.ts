import { expect, it } from 'vitest'
import { withoutDamaged } from './damaged-rows'

it('[BUS-7.10] each damaged row is logged once and counted, however many read past it', async () => {
  const logged: object[] = []
  const lot = { rows: [], next: 9, damaged: [4, 7] }
  const after = withoutDamaged(async () => lot, { warn: (facts) => void logged.push(facts) })
  const limit = { rows: 10, chars: 10 }
  expect([await after(0, limit), await after(3, limit)]).toEqual([lot, lot])
  expect(logged).toEqual([
    { offset: 4, damagedInAll: 1 },
    { offset: 7, damagedInAll: 2 },
  ])
})
