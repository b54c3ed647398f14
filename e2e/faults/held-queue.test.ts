/**
 * Prompts that wait in a session whose host is gone: only its last account tells of them, and the hub keeps accounts in
 * memory. Whoever restarts what, the page shows them, and a person lets them run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const long = [{ text: 'Begun.' }, { count: { to: 10_000, delayMs: 20 } }]
const view = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
const waiting = async (sessionId: string) => {
  const { queue, queueHeld } = await view(sessionId)
  return { texts: queue.map(({ text }) => text), queueHeld }
}

/** A prompt behind a turn that a person has stopped. */
async function held(text: string): Promise<string> {
  const sessionId = await rig.begin(long)
  await until('it to speak', async () => (await view(sessionId)).lastLine.startsWith('line'))
  await rig.rest.prompt(sessionId, { promptId: `p_${text}`, text: scriptOf([{ text }]) })
  await until('the prompt to wait', async () => (await view(sessionId)).queue.length === 1)
  await rig.rest.interrupt(sessionId, (await view(sessionId)).turnId ?? '')
  await until('the queue to be held', async () => (await view(sessionId)).queueHeld)
  return sessionId
}

const restarts: Record<string, () => Promise<void>> = {
  'the agent': async () => {
    await rig.system.agent.stop()
    await rig.system.agent.start()
  },
  'the agent, and then the hub': async () => {
    await rig.system.agent.stop()
    await rig.system.agent.start()
    await rig.system.hub.stop()
    await rig.system.hub.start()
  },
  'the agent by kill -9': async () => {
    await rig.system.agent.kill()
    await rig.system.agent.start()
  },
}

describe('[LINK-5.7] [CMD-5] a prompt that waits in a held queue', () => {
  it.each(Object.entries(restarts))('is shown and can be let run after a restart of %s', async (name, restart) => {
    const text = `Said_${name.replaceAll(/\W/g, '_')}`
    const sessionId = await held(text)
    await rig.rest.endProcess(sessionId)
    await until('its program to end', async () => (await view(sessionId)).status.status === 'resumable')
    await restart()
    await until('the prompt to be shown as held', async () => {
      const { texts, queueHeld } = await waiting(sessionId)
      return queueHeld && texts.length === 1 && texts[0]?.includes(text)
    })
    await rig.rest.queue(sessionId, { op: 'release' })
    await until('it to be answered', () =>
      eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).some(
        (event) => event.kind === 'assistant_text' && event.text === text,
      ),
    )
    expect(await waiting(sessionId)).toEqual({ texts: [], queueHeld: false })
  })
})
