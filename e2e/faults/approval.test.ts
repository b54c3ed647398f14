/** A machine that a person has to admit first: what it is told, what it shows, and how it comes in by itself. */
import { rmSync } from 'node:fs'
import { shortFingerprint } from '@roundhouse/backend-types'
import type { HubClient } from '@roundhouse/hub-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { hubOfFile } from '../support/wire/hub-of-file'

const { hub } = hubOfFile('approval')
const machines: AgentProcess[] = []
let client: HubClient

beforeAll(async () => {
  client = await hub.client()
})
afterAll(async () => {
  client.close()
  await Promise.allSettled(machines.map((machine) => machine.stop()))
  for (const { home } of machines) rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

const named = async (name: string) => {
  const found = (await client.rest.agents()).items.find((one) => one.name === name)
  if (!found) throw new Error(`${name} did not join`)
  return found
}

/** Joined, started, and told that it has to wait. */
async function waiting(name: string, token: { requireApproval?: boolean }): Promise<AgentProcess> {
  const made = await client.rest.makeEnrollmentToken(token)
  const machine = new AgentProcess(freshFolder('machine'), {})
  machines.push(machine)
  machine.writePolicy({ roots: [] })
  await machine.join(hub, name, { token: made.token, fingerprint: made.hubKeyFingerprint, url: made.hubUrl })
  machine.launch()
  await until('the machine to be told', () => machine.output.includes('waits for approval'))
  return machine
}

describe('a machine that needs approval', () => {
  it('[JOIN-1.10] [JOIN-1.9] shows the keys as the page does, is nothing until it is admitted, and then comes in by itself', async () => {
    await client.rest.changeSettings({ requireApproval: true })
    const machine = await waiting('by-setting', {})
    const { agentId, keyFingerprint, online, state } = await named('by-setting')
    expect([state, online]).toEqual(['pending', false])
    const { hubKeyFingerprint } = await client.rest.settings()
    for (const key of [keyFingerprint, hubKeyFingerprint]) expect(machine.output).toContain(shortFingerprint(key))
    expect(shortFingerprint(keyFingerprint)).toMatch(/^([0-9a-f]{4} ){4}[0-9a-f]{4}$/)
    const status = await machine.command(['status'])
    expect(status.output).toContain('waits for approval')
    expect(status.output).toContain(shortFingerprint(keyFingerprint))
    await client.rest.approveAgent(agentId)
    await machine.connected()
    expect(await named('by-setting')).toMatchObject({ state: 'active', online: true })
    await client.rest.changeSettings({ requireApproval: false })
  })

  it('[JOIN-1.10] ends when it is refused, and says so', async () => {
    const machine = await waiting('by-token', { requireApproval: true })
    const { agentId } = await named('by-token')
    await client.rest.refuseAgent(agentId)
    await machine.ended()
    expect(machine.output).toContain('was revoked')
    await expect(client.rest.approveAgent(agentId)).rejects.toMatchObject({ code: 'AGENT_REVOKED' })
    const deeds = (await client.rest.audit({ action: 'agent' })).items.map(({ action }) => action)
    expect(deeds).toEqual(['agent.refuse', 'agent.enroll', 'agent.approve', 'agent.enroll'])
  })
})
