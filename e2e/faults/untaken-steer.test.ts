/**
 * A prompt for the running turn whose program never says whether it took it. Whatever ends the program, the person hears
 * that it came to nothing, with the text, and can send it again.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const long = [{ text: 'Begun.' }, { count: { to: 10_000, delayMs: 20 } }]
const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session

const ends: Record<string, (sessionId: string) => Promise<unknown>> = {
  'a person ends its program': (sessionId) => rig.rest.endProcess(sessionId),
  'its program is killed': async (sessionId) => process.kill(rig.system.agent.backendPid(sessionId) ?? 0, 'SIGKILL'),
  'its host is killed': async (sessionId) => rig.system.agent.killHost(sessionId),
  'its host is killed while no daemon runs': async (sessionId) => {
    await rig.system.agent.kill()
    rig.system.agent.killHost(sessionId)
    await rig.system.agent.start()
  },
}

describe('[CMD-3] [CMD-5] a prompt for a turn whose program stands still', () => {
  it.each(Object.entries(ends))('[CMD-5.21] is told as not taken when %s', async (_name, end) => {
    const sessionId = await rig.begin(long)
    await until('it to speak', async () => (await view(sessionId)).lastLine.startsWith('line'))
    process.kill(rig.system.agent.backendPid(sessionId) ?? 0, 'SIGSTOP')
    const { commandId } = await rig.rest.prompt(sessionId, { promptId: `p_${sessionId}`, text: 'Listen.', steer: true })
    const shown = async () => (await view(sessionId)).commands.find((command) => command.commandId === commandId)
    await until('the machine to have it', async () => (await shown())?.state === 'accepted')
    await end(sessionId)
    await until('its end to be told', async () => (await shown())?.state !== 'accepted')
    const command = await shown()
    expect(['refused', 'outcome_unknown']).toContain(command?.state)
    expect(command).toMatchObject({ text: 'Listen.' })
  })
})
