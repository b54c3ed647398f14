/** What a program says of its turn is kept, in its own words and as figures, on real processes: after a resume, and after every death. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAll } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

interface End {
  kind: string
  reason: string
  backendMeta?: Record<string, unknown>
  backendMetaCut?: boolean
}

const ends = async (sessionId: string): Promise<End[]> =>
  (await readAll(rig.rest, sessionId))
    .map(({ body }): End => JSON.parse(body))
    .filter(({ kind }) => kind === 'turn_completed')
const ended = (sessionId: string, count: number) =>
  until(`${count} turns to end`, async () => {
    const found = await ends(sessionId)
    return found.length === count && found
  })

it('[LOG-7.24] [LOG-7.25] [LOG-7.26] is kept as it was said, and what is too large is left out', async () => {
  const meta = { stopReason: 'end_turn', numTurns: 3, nested: { cache: [1, 2] } }
  const sessionId = await rig.begin([{ text: 'One.', meta }])
  expect(await ended(sessionId, 1)).toMatchObject([{ reason: 'completed', backendMeta: meta }])

  await rig.prompt(sessionId, [
    { text: 'Two.', meta: { key: 'sk-ant-api03-0123456789abcdefghij', big: 'x'.repeat(20_000) } },
  ])
  const [, second] = await ended(sessionId, 2)
  expect(second).toMatchObject({ reason: 'completed', backendMetaCut: true })
  expect(JSON.stringify(second)).not.toContain('0123456789abcdefghij')

  rig.system.agent.killHost(sessionId)
  await until('the host to be gone', () => !rig.system.agent.hasHost(sessionId))
  await rig.system.hub.kill()
  await rig.system.hub.start()
  await rig.prompt(sessionId, [{ text: 'Three.', meta: { stopReason: 'stop' } }])
  const [first, , third] = await ended(sessionId, 3)
  expect(first?.backendMeta).toEqual(meta)
  expect(third?.backendMeta).toEqual({ stopReason: 'stop' })
  await rig.agree(sessionId)
})

it('[LOG-7.27] [LOG-7.28] has the figures of its own turn, and the calls that were denied in it', async () => {
  const usage = { input_tokens: 40, output_tokens: 5, cache_read_input_tokens: 30, cache_creation_input_tokens: 4 }
  const sessionId = await rig.begin([{ text: 'One.', tool: 'Bash', input: { command: 'touch a' }, usage }])
  const { requestId, digest } = await rig.asked(sessionId)
  await rig.rest.decide(requestId, { decision: 'deny', digest, reason: 'not today' })
  await ended(sessionId, 1)
  await rig.prompt(sessionId, [{ text: 'Two.' }, { text: 'Three.' }])
  expect(await ended(sessionId, 2)).toMatchObject([
    {
      numTurns: 1,
      stopReason: 'end_turn',
      apiDuration: expect.any(Number),
      usage: { inputTokens: 40, outputTokens: 5, cachedTokens: 30, cacheWriteTokens: 4 },
      denials: [{ toolName: 'Bash', callId: expect.any(String), reason: 'not today' }],
    },
    { numTurns: 2, stopReason: 'end_turn', apiDuration: expect.any(Number) },
  ])
  expect((await ends(sessionId))[1]).not.toHaveProperty('denials')
  await rig.agree(sessionId)
})
