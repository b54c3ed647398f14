import { describe, expect, it } from 'vitest'
import { nextWish, parseWish, type ResumeNews, type ResumeWish, waitOf } from './resume-wish'

const NOW = 1_000_000
const died = { kind: 'died', autoResume: true, now: NOW } as const
const unwished = { kind: 'died', autoResume: false, now: NOW } as const
const atRest = { kind: 'found_at_rest', autoResume: true, now: NOW } as const

const none: ResumeWish = { phase: 'none', tries: 0 }
const waits: ResumeWish = { phase: 'waits', tries: 1, at: NOW + 1_000 }
const begun: ResumeWish = { phase: 'begun', tries: 1 }
const stopped: ResumeWish = { phase: 'stopped', tries: 1 }

type Row = [wish: ResumeWish, news: ResumeNews, next: ResumeWish]
const table: Record<ResumeWish['phase'], Row[]> = {
  none: [
    [none, died, waits],
    [{ phase: 'none', tries: 1 }, died, { phase: 'waits', tries: 2, at: NOW + 4_000 }],
    [{ phase: 'none', tries: 2 }, died, { phase: 'waits', tries: 3, at: NOW + 16_000 }],
    [{ phase: 'none', tries: 3 }, died, { phase: 'none', tries: 3 }],
    [none, unwished, none],
    [none, atRest, none],
    [none, { kind: 'begun' }, none],
    [{ phase: 'none', tries: 2 }, { kind: 'spawned' }, { phase: 'none', tries: 2 }],
    [{ phase: 'none', tries: 3 }, { kind: 'turn_completed' }, none],
    [{ phase: 'none', tries: 1 }, { kind: 'stopped' }, stopped],
    [none, { kind: 'unwanted' }, none],
    [none, { kind: 'log_lost' }, { phase: 'none', tries: 3 }],
  ],
  waits: [
    // Two crashes in the back-off are one wish.
    [waits, died, waits],
    [waits, atRest, waits],
    [waits, { kind: 'begun' }, begun],
    [waits, { kind: 'spawned' }, { phase: 'none', tries: 1 }],
    [waits, { kind: 'turn_completed' }, { ...waits, tries: 0 }],
    [waits, { kind: 'stopped' }, stopped],
    [waits, { kind: 'unwanted' }, { phase: 'none', tries: 1 }],
    [waits, { kind: 'log_lost' }, { phase: 'none', tries: 3 }],
  ],
  begun: [
    [begun, died, { phase: 'waits', tries: 2, at: NOW + 4_000 }],
    // Its host died between the decision and the spawn: that attempt counts.
    [begun, atRest, { phase: 'waits', tries: 2, at: NOW + 4_000 }],
    [{ phase: 'begun', tries: 3 }, atRest, { phase: 'none', tries: 3 }],
    [begun, { kind: 'begun' }, begun],
    [begun, { kind: 'spawned' }, { phase: 'none', tries: 1 }],
    [begun, { kind: 'turn_completed' }, { phase: 'begun', tries: 0 }],
    [begun, { kind: 'stopped' }, stopped],
    [begun, { kind: 'unwanted' }, { phase: 'none', tries: 1 }],
    [begun, { kind: 'log_lost' }, { phase: 'none', tries: 3 }],
  ],
  stopped: [
    [stopped, died, stopped],
    [stopped, atRest, stopped],
    [stopped, { kind: 'begun' }, stopped],
    [stopped, { kind: 'spawned' }, { phase: 'none', tries: 1 }],
    [stopped, { kind: 'turn_completed' }, { phase: 'stopped', tries: 0 }],
    [stopped, { kind: 'stopped' }, stopped],
    [stopped, { kind: 'unwanted' }, stopped],
    [stopped, { kind: 'log_lost' }, { phase: 'stopped', tries: 3 }],
  ],
}

describe('[RES-3] the wish of a session to go on by itself', () => {
  const rows = Object.values(table).flat()
  it.each(rows.map((row) => [JSON.stringify(row[0]), JSON.stringify(row[1]), row] as const))(
    '%s hears of %s',
    (_wish, _news, [wish, news, next]) => expect(nextWish(wish, news)).toEqual(next),
  )

  it('[RES-3.2] [RES-3.3] is tried three times, whoever dies, until a turn completes', () => {
    let wish: ResumeWish = none
    let attempts = 0
    for (let death = 0; death < 9; death += 1) {
      wish = nextWish(nextWish(wish, died), atRest)
      if (wish.phase === 'waits') attempts += 1
      // The host dies now before the spawn, now behind it.
      wish = nextWish(wish, { kind: 'begun' })
      wish = death % 2 === 0 ? nextWish(wish, { kind: 'spawned' }) : wish
    }
    expect(attempts).toBe(3)
    expect(nextWish(nextWish(wish, { kind: 'turn_completed' }), died)).toMatchObject({ phase: 'waits', tries: 1 })
  })

  it('waits no longer than the longest pause where the clock was put back', () => {
    expect([waitOf(NOW, NOW + 5), waitOf(NOW + 900, NOW), waitOf(NOW, 0)]).toEqual([0, 900, 16_000])
  })

  it('is none in a log of an earlier version', () => expect(parseWish(null)).toEqual(none))
})
