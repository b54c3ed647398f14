/** What is left of thoughts that a person cut short, on the real program: it says nothing of them itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingReason } from '../support/backends'
import { type Rig, startRig } from '../support/rig'
import { until } from '../support/until'
import { Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(`[claude] an interrupt${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
  })
  afterAll(() => rig.dispose())

  it('[LOG-5] thoughts that a person interrupted stay, as a part', async () => {
    const thinking = Array.from({ length: 60 }, (_, n) => `thought${n}`).join(' ')
    const session = await Resumed.begin(rig, [{ thinking, chunk: 8, delayMs: 40, text: 'Said.' }])
    const { turnId } = await until('the turn', () => session.of('turn_started')[0])
    await until('thoughts', async () => {
      const { openBlocks } = await rig.rest.snapshot(session.sessionId)
      return openBlocks.some(({ text }) => text.includes('thought2'))
    })
    await rig.rest.interrupt(session.sessionId, turnId)
    await session.turns(1)
    const [kept] = session.of('thinking')
    expect(kept).toMatchObject({ partial: true, text: expect.stringContaining('thought2') })
    expect(thinking.startsWith(String(kept?.text))).toBe(true)
    expect([session.of('turn_completed')[0]?.reason, session.texts]).toEqual(['interrupted', []])
  })
})
