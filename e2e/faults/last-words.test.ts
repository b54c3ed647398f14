/** What a program prints after it was told to end, on the built product: its own account and the log are compared. */
import { afterEach, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
afterEach(() => rig.dispose())

const TEXTS = 40
/** It does not hear SIGTERM, and ends when it has said everything. */
const stubborn = [
  { ignoreSigterm: true, text: 'Begun.' },
  { count: { to: TEXTS, delayMs: 20, prefix: 'late' } },
  { crash: 0 },
]
const eventsHere = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const texts = (sessionId: string) => eventsHere(sessionId).filter(({ kind }) => kind === 'assistant_text')

it('[RES-2.4] [LOG-7] is all in the log before its end, whoever ends it', async () => {
  rig = await startRig()
  const { rest } = rig
  const { agent } = rig.system
  const ends: Array<(sessionId: string) => Promise<unknown>> = [
    (sessionId) => rest.endProcess(sessionId),
    (sessionId) => rest.stop(sessionId),
    () => agent.command(['stop', '--sessions']),
  ]
  for (const end of ends) {
    const sessionId = await rig.begin(stubborn)
    await until('it to say something', () => texts(sessionId).length > 0)
    await end(sessionId)
    await until('its end', () => eventsHere(sessionId).some(({ kind }) => kind === 'process_exited'))
    const kinds = eventsHere(sessionId).map(({ kind }) => kind)
    expect(texts(sessionId)).toHaveLength(TEXTS + 1)
    expect(kinds.lastIndexOf('assistant_text')).toBeLessThan(kinds.indexOf('process_exited'))
    await rig.agree(sessionId)
  }
})
