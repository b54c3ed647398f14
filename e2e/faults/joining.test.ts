/** Machines that join a real hub: with a token that is not good, to a hub that is not the one, and twice with one key. */
import { cpSync, rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { forgedToken } from '../support/wire/forged-token'
import { hubOfFile } from '../support/wire/hub-of-file'
import { RawAgent, RawSocket } from '../support/wire/raw-socket'

const own = hubOfFile('joining')
const { hub, web } = own
const machines: AgentProcess[] = []
afterAll(async () => {
  await Promise.allSettled(machines.map((machine) => machine.stop()))
  for (const { home } of machines) rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

let keys = 0
async function ask(method: string, target: string, body: object = {}) {
  const headers = { ...web.json, login: own.login, 'idempotency-key': `joining-${keys++}` }
  const answer = await web.ask(`/api/v1${target}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  return JSON.parse(answer.body)
}
const makeToken = (body = {}): Promise<{ token: string; tokenId: string; hubKeyFingerprint: string; hubUrl: string }> =>
  ask('POST', '/enrollment-tokens', body)
const stateOf = async (tokenId: string) =>
  (await ask('GET', '/enrollment-tokens')).items.find((one: { tokenId: string }) => one.tokenId === tokenId)?.state

function machineAt(home: string): AgentProcess {
  const machine = new AgentProcess(home, {})
  machines.push(machine)
  machine.writePolicy({ roots: [] })
  return machine
}

/** Joins with this ticket, and runs. */
async function joined(name: string): Promise<AgentProcess> {
  const { token, hubKeyFingerprint: fingerprint, hubUrl: url } = await makeToken()
  const machine = machineAt(freshFolder('machine'))
  await machine.join(hub, name, { token, fingerprint, url })
  await machine.start()
  return machine
}

describe('a machine', () => {
  it('[T53] is refused in the same words with a revoked, unknown and mistyped token, and ten wrong secrets burn one', async () => {
    const [revoked, open] = [await makeToken(), await makeToken()]
    await ask('DELETE', `/enrollment-tokens/${revoked.tokenId}`)
    const wrong = forgedToken(open.tokenId, 'A'.repeat(43))
    const unknown = forgedToken('X'.repeat(10), 'A'.repeat(43))
    const answers = []
    for (const token of [revoked.token, unknown, `${open.token}x`, ...Array(10).fill(wrong)]) {
      const { status, body } = await new RawAgent(web).enroll(token)
      answers.push(`${status} ${body}`)
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('ENROLLMENT_INVALID')
    expect((await new RawAgent(web).enroll(open.token)).code).toBe('ENROLLMENT_INVALID')
    expect(await stateOf(open.tokenId)).toBe('burnt')
  })

  it('[A20] [A22] that changed its key has no link by the old one, also where that had opened one and waited', async () => {
    const [machine, next] = [new RawAgent(web), new RawAgent(web)]
    await machine.enroll((await makeToken()).token)
    const waiting = new RawSocket(web, await machine.headers())
    expect(await waiting.status).toBe(101)
    expect((await machine.rotateTo(next)).status).toBe(200)
    waiting.send('40/agent,')
    expect(await waiting.hears('42/agent,[')).toContain('"revoked",{"code":"FENCED"')
    await waiting.closed
  })

  it('[T54] does not give its token to a hub with another key', async () => {
    const { token, tokenId, hubKeyFingerprint, hubUrl: url } = await makeToken()
    const machine = machineAt(freshFolder('machine'))
    const fingerprint = hubKeyFingerprint.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    await expect(machine.join(hub, 'careful', { token, fingerprint, url })).rejects.toThrow(/key/)
    expect(await stateOf(tokenId)).toBe('open')
    await machine.join(hub, 'careful', { token, fingerprint: hubKeyFingerprint, url })
    expect(await stateOf(tokenId)).toBe('used')
  })

  it('[JOIN-1.12] has the name that was set with its token, and the one that it asks for only where there is none; `join` says which was not used', async () => {
    const joins = async (body: object) => {
      const { token, hubKeyFingerprint: fingerprint, hubUrl: url } = await makeToken(body)
      const said = await machineAt(freshFolder('machine')).join(hub, 'Desk', { token, fingerprint, url })
      const names = (await ask('GET', '/agents')).items.map((one: { name: string }) => one.name)
      return { said, names }
    }
    const named = await joins({ name: 'Office desk' })
    expect(named.names).toContain('Office desk')
    expect(named.names).not.toContain('Desk')
    expect(named.said).toContain('as "Office desk".')
    expect(named.said).toContain('The name "Desk" was not used: the enrollment token was created for "Office desk".')
    const free = await joins({})
    expect(free.names).toContain('Desk')
    expect(free.said).not.toContain('was not used')
  })

  it('[T59] [JOIN-4.5] [JOIN-4.6] of which somebody made a copy is shut out with it, until the owner says which is good', async () => {
    const machine = await joined('original')
    const [{ agentId }] = (await ask('GET', '/agents')).items.filter((one: { name: string }) => one.name === 'original')
    await machine.kill()
    const copyHome = freshFolder('copy')
    cpSync(machine.home, copyHome, { recursive: true })
    await machine.start()
    const copy = machineAt(copyHome)
    copy.launch()
    const one = async () =>
      (await ask('GET', '/agents')).items.find((agent: { agentId: string }) => agent.agentId === agentId)
    await until('both to be shut out', async () => (await one()).clonedAt !== undefined && !(await one()).online)
    await copy.kill()
    await machine.kill()
    await ask('POST', `/agents/${agentId}/accept-restored`)
    await machine.start()
    const { online, clonedAt } = await one()
    expect([online, clonedAt]).toEqual([true, undefined])
  })
})
