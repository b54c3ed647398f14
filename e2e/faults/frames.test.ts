/** Frames that come twice, late, in another order or never, on a link that lives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/accounts/ledger'
import { seeded } from '../support/common/random'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { type Fate, FrameProxy, type JudgeFrame } from '../support/wire/frame-proxy'

let rig: Rig<FrameProxy>
beforeAll(async () => {
  rig = await startRig({ front: FrameProxy.start })
})
afterAll(() => rig.dispose())

const isBatch = (text: string) => text.includes('["events",')

const twice: JudgeFrame = (_direction, text) => (isBatch(text) || text.includes('["command",') ? { times: 2 } : null)
const late: JudgeFrame = (direction, text) => (direction === 'in' && isBatch(text) ? { after: 2 } : null)

function mixed(seed: number): JudgeFrame {
  const random = seeded(seed)
  return (direction, text): Fate | null => {
    if (!isBatch(text) && direction === 'in' && !text.includes('["live",')) return null
    switch (random(6)) {
      case 0:
        return { times: 2 }
      case 1:
        return { after: 1 + random(3) }
      default:
        return null
    }
  }
}

async function playThrough(judge: JudgeFrame) {
  rig.front.judge(judge)
  const sessionId = await rig.begin([
    { count: { to: 80, delayMs: 12 } },
    { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } },
    { count: { to: 80, delayMs: 12, prefix: 'after' } },
  ])
  const ask = await rig.asked(sessionId)
  await rig.allow(ask)
  const events = eventsOf(await rig.agree(sessionId))
  expect(events.filter(({ kind }) => kind === 'permission_resolved')).toMatchObject([{ outcome: 'applied' }])
  expect(events.filter(({ kind }) => kind === 'turn_started')).toHaveLength(1)
}

describe('frames between agent and hub', () => {
  it('[F9] [ACK-3.1] [CMD-2] come twice: stored once, started once', () => playThrough(twice))

  it('[F10] [ACK-4.1] [ACK-4.2] come after two later ones: the hub refuses the hole, the agent goes back', () =>
    playThrough(late))

  it.each(wholeMatrix ? [1, 2, 3] : [1])('[T18] [F9] [F10] come twice and late, mixed by seed %i', (seed) =>
    playThrough(mixed(seed)),
  )
})
