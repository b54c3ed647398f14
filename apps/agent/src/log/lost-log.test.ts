import { describe, expect, it } from 'vitest'
import { type FoundLog, isLost } from './lost-log'

const known = { logId: 'a', last: 10 }
const found = (over: Partial<FoundLog> = {}): FoundLog => ({ logId: 'a', head: 10, formerLogIds: [], ...over })

describe('[REB-1] a log that is remembered', () => {
  it.each<[string, FoundLog | null, boolean]>([
    ['is there as it was', found(), false],
    ['has grown', found({ head: 11 }), false],
    ['is shorter', found({ head: 9 }), true],
    ['is empty', found({ head: 0 }), true],
    ['is gone', null, true],
    ['is another one', found({ logId: 'b', head: 12 }), true],
    ['is the one that was found lost before', found({ logId: 'b', head: 4, formerLogIds: ['a'] }), false],
  ])('%s', (_what, log, lost) => {
    expect(isLost(known, log)).toBe(lost)
  })

  it('had nothing in it, so that nothing can be lost', () => {
    expect(isLost({ logId: 'a', last: 0 }, null)).toBe(false)
  })
})
