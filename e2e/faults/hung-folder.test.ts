/** A folder that people may use lies on a disk that never answers: who asks for it is told so, and nobody else notices. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type HungFolder, hangFolder } from '../support/damage/hung-folder'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

let rig: Rig | undefined
let hung: HungFolder | undefined
afterEach(async () => {
  hung?.answers()
  hung = undefined
  await rig?.dispose()
})

function hang(folder: string, reads = false): void {
  const made = hangFolder(folder, { reads })
  if (typeof made === 'string') throw new Error(made)
  hung = made
}

/** Null where such a folder can be had. */
function whyNot(): string | null {
  const folder = freshFolder('hung')
  const made = hangFolder(folder)
  if (typeof made !== 'string') made.answers()
  rmSync(folder, { recursive: true })
  return typeof made === 'string' ? made : null
}
const reason = whyNot()
if (reason) console.warn(`left out: ${reason}`)

const agentIdOf = async ({ rest }: Rig) => (await rest.agents()).items[0]?.agentId ?? ''
const said = ({ system }: Rig, sessionId: string) =>
  eventsOf(logOf(system.agent.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'assistant_text' ? [event.text] : [],
  )

async function createIn(one: Rig, workDir: string): Promise<string> {
  const agentId = await agentIdOf(one)
  const settings = { backend: 'scripted' as const, workDir }
  return (await one.rest.createSession({ agentId, settings, prompt: scriptOf([{ text: 'Begun.' }]) })).sessionId
}

const endOf = async ({ rest }: Rig, sessionId: string) => {
  const { status } = (await rest.snapshot(sessionId, 1)).session
  return status.status === 'ended' ? (status.error?.code ?? 'without a reason') : undefined
}

describe.skipIf(reason !== null)('a folder that does not answer', () => {
  variation('[FLOW-7.1] costs the session that asks for it a code, and the others nothing', async () => {
    rig = await startRig()
    const one = rig
    const { agent, workDir } = one.system
    const neighbour = await one.begin([{ text: 'Here.' }])
    const net = path.join(workDir, 'net')
    mkdirSync(net)
    mkdirSync(path.join(workDir, 'disk'))
    hang(net)
    const { pid } = agent
    const refused = [await createIn(one, net), await createIn(one, path.join(net, 'project'))]
    await one.prompt(neighbour, [{ text: 'While it hangs.' }])
    await until('the neighbour to answer', () => said(one, neighbour).includes('While it hangs.'))
    for (const sessionId of refused)
      expect(await until('the refusal', () => endOf(one, sessionId))).toBe('FOLDER_UNAVAILABLE')
    const agentId = await agentIdOf(one)
    const { folders } = await one.rest.folders(agentId, workDir)
    expect(folders.map(({ name }) => name)).toEqual(expect.arrayContaining(['disk', 'net']))
    await expect(one.rest.folders(agentId, net)).rejects.toMatchObject({ code: 'FOLDER_UNAVAILABLE' })
    expect([agent.pid, agent.running]).toEqual([pid, true])

    hung?.answers()
    hung = undefined
    const begun = await createIn(one, net)
    await until('a session there', () => said(one, begun).includes('Begun.'))
  })

  it('[FLOW-7.17] whose lookers cannot be ended costs one of them, and neither the machine nor a change of its policy', async () => {
    rig = await startRig()
    const one = rig
    const { agent, workDir } = one.system
    const neighbour = await one.begin([{ text: 'Here.' }])
    const net = path.join(workDir, 'net')
    mkdirSync(net)
    hang(net, true)
    const agentId = await agentIdOf(one)
    for (let asked = 0; asked < 6; asked += 1) {
      const refusal = { code: 'FOLDER_UNAVAILABLE', message: `${net} does not answer.` }
      await expect(one.rest.folders(agentId, net)).rejects.toMatchObject(refusal)
    }
    expect((await one.rest.folders(agentId, workDir)).folders.map(({ name }) => name)).toContain('net')
    agent.writePolicy({ roots: [workDir, net], envAllow: ['ROUNDHOUSE_SCRIPT_TRUTH'], backends: { scripted: {} } })
    await until('the policy', async () => (await one.rest.agents()).items[0]?.roots.includes(net))
    expect(agent.output).toContain('an allowed folder does not answer')
    await one.prompt(neighbour, [{ text: 'While it hangs.' }])
    await until('the neighbour to answer', () => said(one, neighbour).includes('While it hangs.'))
  })

  it('[FLOW-7.15] [FLOW-7.16] is no reason for a daemon not to start, and counts again when it answers', async () => {
    rig = await startRig()
    const one = rig
    const { agent, workDir } = one.system
    const neighbour = await one.begin([{ text: 'Here.' }])
    await one.agree(neighbour)
    await agent.kill()
    const net = freshFolder('net')
    const link = path.join(freshFolder('link'), 'net')
    symlinkSync(net, link)
    agent.writePolicy({ roots: [workDir, link], backends: { scripted: {} } })
    hang(net)
    await agent.start()
    expect(agent.output).toContain('an allowed folder does not answer')
    await one.prompt(neighbour, [{ text: 'While it hangs.' }])
    await until('the neighbour to answer', () => said(one, neighbour).includes('While it hangs.'))

    hung?.answers()
    hung = undefined
    await until('a session there to begin', async () => {
      const sessionId = await createIn(one, link)
      await until('its outcome', async () => (await endOf(one, sessionId)) ?? said(one, sessionId).includes('Begun.'))
      return (await endOf(one, sessionId)) === undefined
    })
  })
})
