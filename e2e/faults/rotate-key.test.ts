/** A machine changes its key while a session runs, and dies at each moment where it is half done. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { shortFingerprint } from '@roundhouse/backend-types'
import { FAILPOINTS_VARIABLE, type FailpointName } from '@roundhouse/failpoint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const counting = [{ count: { to: 100, delayMs: 10 } }]
const machine = async () => {
  const [one] = (await rig.rest.agents()).items
  if (!one) throw new Error('there is no machine')
  return one
}
const identity = () => JSON.parse(readFileSync(path.join(rig.system.agent.home, 'state/identity.json'), 'utf8'))
const isHalfDone = () => existsSync(path.join(rig.system.agent.home, 'state/next-key.json'))
/** Newest first. */
const rows = async () => (await rig.rest.audit({ action: 'agent.rotate_key' })).items.map(({ outcome }) => outcome)

describe('roundhouse-agent rotate-key', () => {
  it('[A20] [JOIN-2.3] gives the machine another key while a session streams, and nothing of it is lost', async () => {
    const before = await machine()
    const keyless = { publicKey: '', privateKey: '', keyMadeAt: 0 }
    const old = identity()
    const sessionId = await rig.begin(counting)
    const ran = await rig.system.agent.command(['rotate-key'])
    expect([ran.output, ran.succeeded]).toEqual([expect.stringContaining('a new key'), true])
    await until('the machine under its other key', async () => (await machine()).online)
    const after = await machine()
    expect(after.keyFingerprint).not.toBe(before.keyFingerprint)
    expect(ran.output).toContain(shortFingerprint(after.keyFingerprint))
    const { agentId, name, state, roots, maxSandbox, createdAt } = before
    expect(after).toMatchObject({ agentId, name, state, roots, maxSandbox, createdAt })
    expect({ ...identity(), ...keyless }).toEqual({ ...old, ...keyless, socketKey: expect.any(String) })
    await rig.agree(sessionId)
    expect(await rows()).toEqual(['ok'])
  })

  const moments: Array<[FailpointName, number]> = [
    ['agent.newKey.afterWrite.beforeAsk', 0],
    ['agent.newKey.afterAnswer.beforePersist', 1],
    ['agent.newKey.afterPersist.beforeForget', 1],
  ]
  it.each(wholeMatrix ? moments : moments.slice(1, 2))(
    '[A20] dies at %s: the agent goes on, and the change is done in the end, once',
    async (name, heard) => {
      const { keyFingerprint } = await machine()
      const before = (await rows()).length
      const sessionId = await rig.begin(counting)
      const env = { [FAILPOINTS_VARIABLE]: JSON.stringify({ [name]: { do: 'kill' } }) }
      expect((await rig.system.agent.command(['rotate-key'], env)).succeeded).toBe(false)
      expect((await rows()).length - before).toBe(heard)
      // Whoever is next to connect, this daemon or another, finds it half done and ends it.
      await rig.system.agent.kill()
      await rig.system.agent.start()
      await until('the change to be done', () => !isHalfDone())
      expect((await machine()).keyFingerprint).not.toBe(keyFingerprint)
      const again = await rig.system.agent.command(['rotate-key'])
      expect([again.output, again.succeeded]).toEqual([expect.stringContaining('a new key'), true])
      await rig.agree(sessionId)
      expect((await rows()).slice(0, -before)).toEqual(['ok', 'ok'])
    },
  )

  it('[A20] [A22] [JOIN-2.7] a disabled machine gets no other key; what it began is done once it is enabled', async () => {
    const { agentId, keyFingerprint } = await machine()
    await rig.rest.disableAgent(agentId)
    const ran = await rig.system.agent.command(['rotate-key'])
    expect([ran.succeeded, ran.output]).toEqual([false, expect.stringContaining('[AGENT_DISABLED]')])
    await rig.system.agent.kill()
    rig.system.agent.launch()
    await until('it to be told so', () => rig.system.agent.output.includes('was not changed'))
    expect(await machine()).toMatchObject({ keyFingerprint, state: 'disabled' })
    await rig.rest.enableAgent(agentId)
    await rig.system.agent.kill()
    await rig.system.agent.start()
    expect((await machine()).keyFingerprint).not.toBe(keyFingerprint)
    expect((await rows()).slice(0, 2)).toEqual(['ok', 'refused']) // told once a minute
  })
})
