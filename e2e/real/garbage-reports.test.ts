/** What a model service says that stands between Claude Code and a model, and that our own events have no room for. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'

const missing = await missingReason('claude')

let rig: Rig
beforeAll(async () => {
  if (!missing) rig = await startRig({ kind: 'claude' })
})
afterAll(() => rig?.dispose())

const eventsIn = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))

it.skipIf(missing)('[PERM-1] [RES-1] a call whose id is 300 characters long is asked about and answered', async () => {
  const made = path.join(rig.system.workDir, 'made.txt')
  const call = {
    name: 'Bash',
    input: { command: `touch ${made}`, description: 'Make it' },
    id: `toolu_${'x'.repeat(300)}`,
  }
  const sessionId = await rig.begin([{ tools: [call] }, { text: 'Over.' }])
  const ask = await rig.asked(sessionId)
  expect(ask.callId.length).toBeLessThanOrEqual(256)
  await rig.allow(ask)
  await until('the file', () => existsSync(made))
  await rig.agree(sessionId)
  const events = eventsIn(sessionId)
  const callIds = events.flatMap((event) =>
    event.kind === 'tool_use' || event.kind === 'tool_result' ? [event.callId] : [],
  )
  expect(callIds).toEqual([ask.callId, ask.callId])
  expect(rig.system.agent.output).not.toContain('its session host died')
})

it.skipIf(missing)('[LOG-7] a turn of less than no tokens ends', async () => {
  const sessionId = await rig.begin([{ text: 'Hello.', usage: { input_tokens: 10, output_tokens: -5 } }])
  await rig.agree(sessionId)
  const ends = eventsIn(sessionId).filter(({ kind }) => kind === 'turn_completed')
  expect(ends).toMatchObject([{ reason: 'completed' }])
})
