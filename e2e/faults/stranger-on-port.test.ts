/** While the hub is away something else has its port, and says what only the hub may say. It has no key of the hub. */
import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
let stranger: Server | undefined
beforeAll(async () => {
  rig = await startRig()
})
afterEach(async () => {
  stranger?.closeAllConnections()
  await new Promise((resolve) => (stranger?.listening ? stranger.close(resolve) : resolve(null)))
})
afterAll(() => rig.dispose())

describe('a stranger on the port of the hub', () => {
  it.each(['AGENT_REVOKED', 'AGENT_DISABLED', 'PROTOCOL_UNSUPPORTED', 'HUB_KEY_MISMATCH'])(
    '[LINK-1.11] [LINK-1.12] [JOIN-3] that says %s ends nothing, and the hub finds its machine where it left it',
    async (code) => {
      const { hub, agent } = rig.system
      const sessionId = await rig.begin([{ count: { to: 80, delayMs: 50 } }, { text: 'The end.' }])
      await until('a stream', () => rig.stored(sessionId) > 5)
      const hostPid = agent.hostPid(sessionId)
      const { port } = hub
      await hub.kill()
      let answers = 0
      stranger = createServer((_request, response) => {
        answers += 1
        const error = { code, message: 'Said by a stranger.', retryable: false }
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      })
      await new Promise<void>((resolve) => stranger?.listen(port, '127.0.0.1', resolve))
      await until('the machine to have heard it twice', () => answers > 1)
      expect(agent.hostPid(sessionId)).toBe(hostPid)
      stranger.closeAllConnections()
      await new Promise((resolve) => stranger?.close(resolve))
      await hub.start()
      const log = eventsOf(await rig.agree(sessionId))
      expect(log.filter(({ kind }) => kind === 'process_exited')).toEqual([])
      expect(log.at(-1)).toMatchObject({ kind: 'turn_completed', reason: 'completed' })
    },
  )
})
